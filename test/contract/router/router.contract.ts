/** What every WAMP router promises, message by message; a router proves itself by passing these. */
import { expect } from 'chai'
import { describeCalls } from './calls.contract.ts'
import { describeEvents } from './events.contract.ts'
import { allRoles, RouterPeer, subprotocols } from './peer.ts'

/** A router under test: anonymous sessions may do everything in the realm. */
export interface RouterUnderTest {
  readonly url: string
  readonly realm: string
  close(): Promise<void>
}

/** Runs the suite against a router. */
export function describeRouter(name: string, open: () => Promise<RouterUnderTest>): void {
  describe(`${name} as a router`, () => {
    let router: RouterUnderTest
    const peers: RouterPeer[] = []
    const join = async (subprotocol?: string, details?: object) => {
      const peer = await RouterPeer.join(router, subprotocol, details)
      peers.push(peer)
      return peer
    }

    before(async () => {
      router = await open()
    })
    afterEach(() => {
      for (const peer of peers.splice(0)) peer.cut()
    })
    after(() => router.close())

    for (const subprotocol of subprotocols) {
      describe(`over ${subprotocol}`, () => {
        it('carries a call and its result', async () => {
          const [callee, caller] = [await join(subprotocol), await join(subprotocol)]
          const registration = await callee.register('com.test.echo')
          const kwargs = { text: 'žluť', list: [1, [2, {}]], none: null, yes: true, pi: 3.25 }
          caller.send(48, 1, {}, 'com.test.echo', [1, 'a', 2 ** 40, -(2 ** 40)], kwargs)
          const invocation = await callee.next()
          expect(invocation[0]).to.equal(68)
          expect(invocation[2]).to.equal(registration)
          expect(invocation[5]).to.deep.equal(kwargs)
          callee.send(70, invocation[1], {}, invocation[4], invocation[5])
          const result = await caller.next()
          expect(result.slice(0, 2)).to.deep.equal([50, 1])
          expect(result[3]).to.deep.equal([1, 'a', 2 ** 40, -(2 ** 40)])
          expect(result[4]).to.deep.equal(kwargs)
        })

        it('carries an event', async () => {
          const [subscriber, publisher] = [await join(subprotocol), await join(subprotocol)]
          const subscription = await subscriber.subscribe('com.test.topic')
          publisher.send(16, 1, {}, 'com.test.topic', ['x'], { y: 1 })
          const event = await subscriber.next()
          expect(event.slice(0, 2)).to.deep.equal([36, subscription])
          expect(event.slice(4)).to.deep.equal([['x'], { y: 1 }])
        })
      })
    }

    describe('the session', () => {
      it('is welcomed with an id of its own and the roles of the router', async () => {
        const peer = await RouterPeer.open(router.url)
        peers.push(peer)
        const [code, id, details] = await peer.ask(1, router.realm, { roles: allRoles })
        expect(code).to.equal(2)
        expect(id)
          .to.be.a('number')
          .within(1, 2 ** 53)
        const { roles } = details as { roles: Record<string, { features: object }> }
        expect(roles).to.include.keys('broker', 'dealer')
        expect(roles.dealer?.features).to.include({ call_canceling: true })
      })

      it('is refused for an unknown realm', async () => {
        const peer = await RouterPeer.open(router.url)
        peers.push(peer)
        const [code, , reason] = await peer.ask(1, 'no.such.realm', { roles: allRoles })
        expect([code, reason]).to.deep.equal([3, 'wamp.error.no_such_realm'])
      })

      it('says GOODBYE in answer to GOODBYE', async () => {
        const peer = await join()
        expect((await peer.ask(6, {}, 'wamp.close.close_realm'))[0]).to.equal(6)
      })

      it('is known to the meta API until it is gone', async () => {
        const [peer, other] = [await join(), await join()]
        const [, , , [listed]] = (await peer.ask(48, 1, {}, 'wamp.session.list')) as [
          ...[number, number, object],
          [number[]],
        ]
        expect(listed).to.include.members([peer.id, other.id])
        await peer.subscribe('wamp.session.on_leave')
        other.cut()
        const left = await peer.next()
        expect((left[4] as unknown[])[0]).to.equal(other.id)
        const error = await peer.ask(48, 2, {}, 'wamp.session.get', [other.id])
        expect(error[4]).to.equal('wamp.error.no_such_session')
      })

      it('is announced when it joins', async () => {
        const peer = await join()
        await peer.subscribe('wamp.session.on_join')
        const other = await join()
        const joined = await peer.next()
        expect((joined[4] as { session: number }[])[0]?.session).to.equal(other.id)
      })
    })

    describeCalls(join)
    describeEvents(join)
  })
}
