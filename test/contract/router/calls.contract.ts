/** The part of the router's suite on registrations and calls. */
import { expect } from 'chai'
import { allRoles, type RouterPeer } from './peer.ts'

type Join = (
  subprotocol?: string,
  details?: object,
) => Promise<RouterPeer & { readonly id: number }>

const errorOf = (message: readonly unknown[]) => [...message.slice(0, 3), message[4]]

/** Runs it with peers of one router. */
export function describeCalls(join: Join): void {
  describe('a call', () => {
    it('of an unknown procedure is refused', async () => {
      const caller = await join()
      const answer = await caller.ask(48, 7, {}, 'com.test.unknown')
      expect(errorOf(answer)).to.deep.equal([8, 48, 7, 'wamp.error.no_such_procedure'])
    })

    it('brings the ERROR of the callee back', async () => {
      const [callee, caller] = [await join(), await join()]
      await callee.register('com.test.fail')
      caller.send(48, 1, {}, 'com.test.fail')
      const invocation = await callee.next()
      callee.send(8, 68, invocation[1], {}, 'com.test.error', ['why'], { a: 1 })
      const answer = await caller.next()
      expect(errorOf(answer)).to.deep.equal([8, 48, 1, 'com.test.error'])
      expect(answer.slice(5)).to.deep.equal([['why'], { a: 1 }])
    })

    it('brings progressive results back when it asks for them', async () => {
      const [callee, caller] = [await join(), await join()]
      await callee.register('com.test.progress')
      caller.send(48, 1, { receive_progress: true }, 'com.test.progress')
      const invocation = await callee.next()
      expect(invocation[3]).to.include({ receive_progress: true })
      callee.send(70, invocation[1], { progress: true }, [1])
      callee.send(70, invocation[1], {}, [2])
      const [first, last] = [await caller.next(), await caller.next()]
      expect(first[2]).to.include({ progress: true })
      expect([first[3], last[3]]).to.deep.equal([[1], [2]])
      expect(last[2]).not.to.have.property('progress', true)
    })

    it('ends with canceled when the callee is gone', async () => {
      const [callee, caller] = [await join(), await join()]
      await callee.register('com.test.gone')
      caller.send(48, 1, {}, 'com.test.gone')
      await callee.next()
      callee.cut()
      expect(errorOf(await caller.next())).to.deep.equal([8, 48, 1, 'wamp.error.canceled'])
    })

    it('is interrupted when the caller is gone', async () => {
      const [callee, caller] = [await join(), await join()]
      await callee.register('com.test.orphan')
      caller.send(48, 1, {}, 'com.test.orphan')
      const invocation = await callee.next()
      caller.cut()
      const interrupt = await callee.next()
      expect(interrupt.slice(0, 2)).to.deep.equal([69, invocation[1]])
      callee.send(70, invocation[1], {}, ['late'])
      expect(await callee.drain()).to.deep.equal([])
    })
  })

  describe('CANCEL', () => {
    const begin = async (details?: object) => {
      const [callee, caller] = [await join(undefined, details), await join()]
      await callee.register('com.test.slow')
      caller.send(48, 1, {}, 'com.test.slow')
      const invocation = await callee.next()
      return { callee, caller, invocation }
    }

    it('in mode killnowait interrupts the callee and answers at once', async () => {
      const { callee, caller, invocation } = await begin()
      const answer = await caller.ask(49, 1, { mode: 'killnowait' })
      expect(errorOf(answer)).to.deep.equal([8, 48, 1, 'wamp.error.canceled'])
      expect((await callee.next()).slice(0, 2)).to.deep.equal([69, invocation[1]])
    })

    it('in mode kill waits for the answer of the callee', async () => {
      const { callee, caller, invocation } = await begin()
      caller.send(49, 1, { mode: 'kill' })
      expect((await callee.next()).slice(0, 2)).to.deep.equal([69, invocation[1]])
      expect(await caller.drain()).to.deep.equal([])
      callee.send(8, 68, invocation[1], {}, 'wamp.error.canceled')
      expect(errorOf(await caller.next())).to.deep.equal([8, 48, 1, 'wamp.error.canceled'])
    })

    it('sends no INTERRUPT to a callee that does not announce call_canceling', async () => {
      const { callee, caller } = await begin({ roles: { ...allRoles, callee: {} } })
      caller.send(49, 1, { mode: 'killnowait' })
      expect(await callee.drain()).to.deep.equal([])
    })

    it('of no call under way is ignored', async () => {
      const caller = await join()
      caller.send(49, 55, {})
      expect(await caller.drain()).to.deep.equal([])
    })
  })

  describe('a registration', () => {
    it('is single unless it says otherwise', async () => {
      const [first, second] = [await join(), await join()]
      await first.register('com.test.single')
      const answer = await second.ask(64, 1, {}, 'com.test.single')
      expect(errorOf(answer)).to.deep.equal([8, 64, 1, 'wamp.error.procedure_already_exists'])
    })

    it('ends with UNREGISTER, once', async () => {
      const peer = await join()
      const id = await peer.register('com.test.ends')
      expect(await peer.ask(66, 2, id)).to.deep.equal([67, 2])
      const answer = await peer.ask(66, 3, id)
      expect(errorOf(answer)).to.deep.equal([8, 66, 3, 'wamp.error.no_such_registration'])
      expect((await peer.ask(48, 4, {}, 'com.test.ends'))[4]).to.equal(
        'wamp.error.no_such_procedure',
      )
    })

    it('of wamp.* is refused', async () => {
      const peer = await join()
      expect((await peer.ask(64, 1, {}, 'wamp.session.count'))[0]).to.equal(8)
    })

    for (const [title, procedure, winner] of [
      ['exact before everything', 'com.match.a.b', 'com.match.a.b'],
      ['the longest prefix', 'com.match.a.bc', 'com.match.a'],
      ['a prefix before a wildcard', 'com.match.zz.b', 'com.match'],
      ['the wildcard with the later first gap', 'com.other.b.c', 'com.other..c'],
      ['a wildcard', 'com.xyz.b.c', 'com..b.c'],
    ] as const) {
      it(`is found by precedence: ${title}`, async () => {
        const [callee, caller] = [await join(), await join()]
        const ids: Record<string, number> = {}
        for (const [uri, match] of [
          ['com.match.a.b', 'exact'],
          ['com.match', 'prefix'],
          ['com.match.a', 'prefix'],
          ['com..b.c', 'wildcard'],
          ['com.other..c', 'wildcard'],
          ['com..zz.b', 'wildcard'],
        ] as const) {
          ids[uri] = await callee.register(uri, { match })
        }
        caller.send(48, 1, {}, procedure)
        const invocation = await callee.next()
        expect(invocation[2]).to.equal(ids[winner])
        if (winner !== procedure) expect(invocation[3]).to.include({ procedure })
      })
    }

    for (const [invoke, order] of [
      ['first', [0, 0, 0, 0]],
      ['last', [1, 1, 1, 1]],
      ['roundrobin', [0, 1, 0, 1]],
    ] as const) {
      it(`that is shared picks its callee by ${invoke}`, async () => {
        const [one, two, caller] = [await join(), await join(), await join()]
        const callees = [one, two]
        for (const callee of callees) await callee.register(`com.shared.${invoke}`, { invoke })
        for (const [callee, peer] of callees.entries()) {
          const answer = async () => {
            for (;;) {
              const invocation = await peer.next()
              if (invocation[0] === 68) peer.send(70, invocation[1], {}, [callee])
            }
          }
          answer().catch(() => {})
        }
        const picked = []
        for (let request = 1; request <= order.length; request++) {
          const result = await caller.ask(48, request, {}, `com.shared.${invoke}`)
          picked.push((result[3] as number[])[0])
        }
        expect(picked).to.deep.equal(order)
      })
    }

    it('is refused when it shares by another policy', async () => {
      const [one, two] = [await join(), await join()]
      await one.register('com.shared.conflict', { invoke: 'first' })
      const answer = await two.ask(64, 1, { invoke: 'last' }, 'com.shared.conflict')
      expect(answer[4]).to.equal('wamp.error.procedure_exists_with_different_invocation_policy')
    })

    it('is known to the meta API, and its events', async () => {
      const [watcher, callee] = [await join(), await join()]
      await watcher.subscribe('wamp.registration.', { match: 'prefix' })
      const id = await callee.register('com.test.meta')
      const ask = async (name: string, ...args: unknown[]) =>
        ((await callee.ask(48, 5, {}, `wamp.registration.${name}`, args))[3] as unknown[])[0]
      expect(await ask('lookup', 'com.test.meta')).to.equal(id)
      expect(await ask('match', 'com.test.meta')).to.equal(id)
      expect(await ask('get', id)).to.include({ id, uri: 'com.test.meta', match: 'exact' })
      expect(await ask('list_callees', id)).to.deep.equal([callee.id])
      expect(await ask('count_callees', id)).to.equal(1)
      await callee.ask(66, 2, id)
      const topics = []
      for (let count = 0; count < 4; count++) {
        topics.push(((await watcher.next())[3] as { topic: string }).topic)
      }
      expect(topics).to.deep.equal(
        ['on_create', 'on_register', 'on_unregister', 'on_delete'].map(
          (event) => `wamp.registration.${event}`,
        ),
      )
    })
  })
}
