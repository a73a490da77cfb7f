/** Sessions with a router that follows a script: messages that client libraries fail over, or would end the connection over. */
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import type { Payload } from '#component/wamp/session.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Message, roles, ScriptedRouter, type Send, welcome } from './scripted-router.setup.ts'
import { clients, failureOf, nothing } from './support.ts'

/** What a peer may find in its mail: the answer to a CALL of this id comes after it. */
const oddities: readonly (readonly [string, (send: Send, id: unknown, raw: WebSocket) => void])[] =
  [
    ['a RESULT for a call that was never made', (send) => send(50, 999, {}, ['x'])],
    ['an ERROR for a call that was never made', (send) => send(8, 48, 999, {}, 'com.example.e')],
    ['a PUBLISHED that nobody waits for', (send) => send(17, 999, 1)],
    ['a REGISTERED that nobody waits for', (send) => send(65, 999, 1)],
    ['a PUBLISHED with the id of the call', (send, id) => send(17, id, 1)],
    ['progress that was not asked for', (send, id) => send(50, id, { progress: true }, ['x'])],
    ['an INTERRUPT', (send) => send(69, 1, {})],
    ['a REGISTERED of a registration revoked', (send) => send(67, 0, { registration: 5 })],
    ['a message of an unknown type', (send) => send(4711)],
    ['a message without a type', (send) => send()],
    ['a second WELCOME', (send) => send(2, 99, { roles })],
    ['text that is no JSON', (_send, _id, raw) => raw.send('[50,')],
    ['JSON that is no list', (_send, _id, raw) => raw.send('{}')],
    ['an EVENT of a topic that nobody subscribed to', (send) => send(36, 77, 1, {})],
    ['an EVENT without details', (send) => send(36, 77, 1)],
    ['an EVENT in payload passthru mode', (send) => send(36, 77, 1, { ppt_scheme: 'x_a' }, [1])],
  ]

for (const [name, open] of clients) {
  describe(`a session of ${name} and an odd router`, () => {
    let router: ScriptedRouter

    beforeEach(async () => {
      router = await ScriptedRouter.listen(open)
    })
    afterEach(() => router.close())

    for (const [what, put] of oddities) {
      it(`lives on after ${what}`, async () => {
        router.script = (message, send, raw) => {
          welcome(message, send)
          if (message[0] !== 48) return
          put(send, message[1], raw)
          send(50, message[1], {}, ['answer'])
        }
        const session = await router.join()
        const { result } = session.call('com.example.a', nothing, {}, 1000)
        expect((await result).args).to.deep.equal(['answer'])
        expect(router.connections).to.equal(1)
      })
    }

    it('ignores RESULT and ERROR that come after the deadline', async () => {
      let late = () => {}
      router.script = (message, send) => {
        welcome(message, send)
        if (message[0] !== 48) return
        if (message[3] === 'com.example.now') send(50, message[1], {})
        else {
          late = () => {
            send(50, message[1], {}, ['late'])
            send(8, 48, message[1], {}, 'com.example.late')
          }
        }
      }
      const session = await router.join()
      const error = await failureOf(session.call('com.example.late', nothing, {}, 20).result)
      expect(error.error_uri).to.equal('service.error.timeout')
      late()
      await session.call('com.example.now', nothing, {}, 1000).result
      expect(router.connections).to.equal(1)
    })

    it('cancels in a mode in which the router answers at once', async () => {
      const cancelled = new Promise<Message>((resolve) => {
        router.script = (message, send) => {
          welcome(message, send)
          if (message[0] === 49) resolve(message)
        }
      })
      const session = await router.join()
      const call = session.call('com.example.a', nothing, {}, 1000)
      call.cancel()
      await failureOf(call.result)
      const [, id, options] = await cancelled
      expect(id).to.be.greaterThan(0)
      expect(options).to.deep.equal({ mode: 'killnowait' })
    })

    it('sends options and payloads exactly as they are given', async () => {
      const sent: Message[] = []
      router.script = (message, send) => {
        welcome(message, send)
        sent.push(message)
        if (message[0] === 48) send(50, message[1], {})
        if (message[0] === 16) send(17, message[1], 5)
        if (message[0] === 32) send(33, message[1], 6)
        if (message[0] === 64) send(65, message[1], 7)
      }
      const session = await router.join()
      const options = { rkey: 'k', disclose_me: false, _X: 1, receive_progress: true }
      const retain = { retain: true, exclude_me: false, exclude: [1] }
      const payload = { args: [null], kwargs: { constructor: 1 } }
      await session.call('constructor:a', payload, options, 1000).result
      await session.publish('com.example.t', nothing, retain, 1000)
      await session.subscribe('com.example.t', () => undefined)
      await session.register('com.example.p', () => nothing, { invoke: 'roundrobin' })
      expect(sent.slice(1).map(([type, , ...rest]) => [type, ...rest])).to.deep.equal([
        [48, options, 'constructor:a', [null], { constructor: 1 }],
        [16, { ...retain, acknowledge: true }, 'com.example.t', [], {}],
        [32, {}, 'com.example.t'],
        [64, { invoke: 'roundrobin' }, 'com.example.p'],
      ])
    })

    it('strips the callee from details, and fills in what the router left out', async () => {
      router.script = (message, send) => {
        welcome(message, send)
        if (message[0] === 48) send(50, message[1], { callee: 1, callee_authid: 'x', a: 2 })
      }
      const session = await router.join()
      const { request_id, ...result } = await session.call('com.example.a', nothing, {}, 1000)
        .result
      expect(request_id).to.be.greaterThan(0)
      expect(result).to.deep.equal({ details: { a: 2 }, args: [], kwargs: {} })
    })

    it('gives an ERROR on with its details', async () => {
      router.script = (message, send) => {
        welcome(message, send)
        if (message[0] === 48) send(8, 48, message[1], { d: 1 }, 'com.example.e', [0], { k: false })
      }
      const session = await router.join()
      const error = await failureOf(session.call('com.example.a', nothing, {}, 1000).result)
      const { error_uri, args, kwargs, details } = error
      expect({ error_uri, args, kwargs, details }).to.deep.equal({
        error_uri: 'com.example.e',
        args: [0],
        kwargs: { k: false },
        details: { d: 1 },
      })
    })

    it('hands a handler payload passthru as plain arguments', async () => {
      const seen: Payload[] = []
      router.script = (message, send) => {
        welcome(message, send)
        if (message[0] !== 32) return
        send(33, message[1], 6)
        send(36, 6, 1, { ppt_scheme: 'x_a', topic: 'com.example.t' }, ['raw'])
      }
      const session = await router.join()
      await session.subscribe('com.example.t', (event) => seen.push(event))
      await untilHolds(() => seen.length > 0)
      expect(seen).to.deep.equal([{ args: ['raw'], kwargs: {} }])
    })

    it('serves no call that names its caller by forward_for', async () => {
      const answers: Message[] = []
      const forward_for = [{ session: 1, authid: 'ops', authrole: 'spec_loader' }]
      router.script = (message, send) => {
        welcome(message, send)
        if (message[0] === 8 || message[0] === 70) answers.push(message)
        if (message[0] !== 64) return
        send(65, message[1], 7)
        send(68, 1, 7, { caller_authid: 'ops', forward_for })
        send(68, 2, 7, { caller_authid: 'kim' })
      }
      const session = await router.join()
      await session.register('com.example.p', (_, { details }) => ({
        args: [details.caller_authid],
        kwargs: {},
      }))
      await untilHolds(() => answers.length === 2)
      expect(answers.map((answer) => answer.slice(0, 5))).to.deep.equal([
        [8, 68, 1, {}, 'wamp.error.not_authorized'],
        [70, 2, {}, ['kim'], {}],
      ])
    })

    it('answers a CHALLENGE', async () => {
      const answered: Message[] = []
      router.script = (message, send) => {
        if (message[0] === 1) send(4, 'ticket', {})
        else if (message[0] === 5) {
          answered.push(message)
          send(2, 1, { roles })
        }
      }
      await router.join({ authmethod: 'ticket', authid: 'gw', secret: 't-1' })
      expect(answered).to.deep.equal([[5, 't-1', {}]])
    })

    it('tries again after a CHALLENGE that it cannot answer', async () => {
      router.script = (message, send) => {
        if (message[0] !== 1) return
        if (router.connections === 1) send(4, 'wampcra', { challenge: 'x' })
        else send(2, 1, { roles })
      }
      await router.join({ authmethod: 'ticket', authid: 'gw', secret: 't-1' })
      expect(router.connections).to.equal(2)
    })

    it('says who joins, by HELLO', async () => {
      const hellos: Message[] = []
      router.script = (message, send) => {
        if (message[0] === 1) hellos.push(message)
        welcome(message, send)
      }
      await router.join({ authmethod: 'anonymous', authid: 'gw' })
      const [, realm, details] = hellos[0] ?? []
      expect(realm).to.equal('com.example.test')
      expect(details)
        .to.include({ authid: 'gw' })
        .and.to.have.deep.property('authmethods', ['anonymous'])
    })
  })
}
