/** Sessions with a router that sends what the specification does not foresee: null, values that cannot be read, great ids. */
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import type { Payload } from '#component/wamp/session.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Message, roles, ScriptedRouter, welcome } from './scripted-router.setup.ts'
import { clients, failureOf, nothing } from './support.ts'
import { Watcher } from './watcher.ts'

for (const [name, open] of clients) {
  describe(`a session of ${name}`, () => {
    let router: ScriptedRouter

    beforeEach(async () => {
      router = await ScriptedRouter.listen(open)
    })
    afterEach(() => router.close())

    it('takes null for an empty list or map, wherever it stands', async () => {
      const answers: Message[] = []
      let ask = (): void => undefined
      router.script = (message, send) => {
        welcome(message, send)
        const [type, id, , uri] = message
        if (type === 64) send(65, id, 7)
        if (type === 48 && uri === 'com.example.result') send(50, id, null, null, { a: 1 })
        if (type === 48 && uri === 'com.example.nothing') send(50, id, null, null, null)
        if (type === 48 && uri === 'com.example.error') send(8, 48, id, null, 'e', null, null)
        if (type === 32) {
          send(33, id, 9)
          send(36, 9, 5, null, null, null)
          send(36, 9, 6, {}, null, { a: 1 })
        }
        if (type === 70) answers.push(message)
        ask = () => send(68, 4, 7, null, null, null)
      }
      const session = await router.join()
      const call = (uri: string) => session.call(uri, nothing, {}, 1000).result
      const result = { details: {}, args: [], kwargs: { a: 1 } }
      expect(await call('com.example.result')).to.deep.include(result)
      expect(await call('com.example.nothing')).to.deep.include({ ...result, kwargs: {} })
      const error = await failureOf(call('com.example.error'))
      expect(error).to.deep.include({ error_uri: 'e', details: {}, args: [], kwargs: {} })
      const events: Payload[] = []
      await session.subscribe('com.example.t', (payload) => events.push(payload))
      await untilHolds(() => events.length === 2)
      expect(events).to.deep.equal([nothing, { args: [], kwargs: { a: 1 } }])
      const asked: Payload[] = []
      await session.register('com.example.p', (payload) => {
        asked.push(payload)
        return nothing
      })
      ask()
      await untilHolds(() => answers.length === 1)
      expect(asked).to.deep.equal([nothing])
      expect(router.connections).to.equal(1)
    })

    it('fails what cannot be read, at once and alone', async () => {
      const bad = '{"a":1,"a":2}'
      const sent: Message[] = []
      let raw: WebSocket | undefined
      router.script = (message, send, socket) => {
        welcome(message, send)
        sent.push(message)
        raw = socket
        const [type, id, , uri] = message
        if (type === 32) send(33, id, 9)
        if (type === 64) send(65, id, 7)
        if (uri === 'com.example.good') send(50, id, {}, ['answer'])
        if (uri === 'com.example.result') socket.send(`[50,${id},{},[${bad}]]`)
        if (uri === 'com.example.details') socket.send(`[50,${id},${bad}]`)
        if (uri === 'com.example.error') socket.send(`[8,48,${id},{},"com.example.own",[],${bad}]`)
        if (uri === 'com.example.unknown') socket.send(`[8,48,${id},${bad},"com.example.own"]`)
        if (uri === 'com.example.piece') socket.send(`[50,${id},{"progress":true},[${bad}]]`)
        if (type === 16) socket.send(`[17,${id},${bad}]`)
      }
      const session = await router.join()
      const call = (uri: string) => session.call(uri, nothing, {}, 1000).result
      for (const [uri, error] of [
        ['com.example.result', 'wamp.error.invalid_payload'],
        ['com.example.details', 'wamp.error.invalid_payload'],
        ['com.example.error', 'com.example.own'],
        ['com.example.unknown', 'wamp.error.invalid_payload'],
        ['com.example.piece', 'wamp.error.invalid_payload'],
      ] as const) {
        expect((await failureOf(call(uri))).error_uri, uri).to.equal(error)
      }
      expect(sent.at(-1)?.[0]).to.be.oneOf([48, 49])
      const published = session.publish('com.example.t', nothing, {}, 1000)
      expect((await failureOf(published)).error_uri).to.equal('wamp.error.invalid_payload')
      await untilHolds(() => sent.some(([type]) => type === 49))

      const watcher = new Watcher()
      await session.watch('com.example.t', {}, 1000, watcher)
      for (const event of [`[36,9,5,{},[${bad}]]`, '[36,9,6,{},["good"]]', `[36,9,7,${bad}]`]) {
        raw?.send(event)
      }
      await watcher.until(3)
      expect(watcher.told).to.deep.equal([{ missed: 5 }, 'good', { missed: 7 }])

      await session.register('com.example.p', () => nothing)
      raw?.send(`[68,4,7,{},[${bad}]]`)
      await untilHolds(() => sent.some(([type]) => type === 8))
      const answer = sent.find(([type]) => type === 8)
      expect(answer?.slice(0, 5)).to.deep.equal([8, 68, 4, {}, 'wamp.error.invalid_payload'])
      expect((await call('com.example.good')).args).to.deep.equal(['answer'])
      expect(router.connections).to.equal(1)
    })

    it('takes ids up to 2^53', async () => {
      const id = '9007199254740992'
      const answers: unknown[] = []
      let raw: WebSocket | undefined
      router.script = (message, _send, socket) => {
        raw = socket
        if (message[0] === 1) socket.send(`[2,${id},${JSON.stringify({ roles })}]`)
        if (message[0] === 32) socket.send(`[33,${message[1]},${id}]`)
        if (message[0] === 64) socket.send(`[65,${message[1]},${id}]`)
        if (message[0] === 16) socket.send(`[17,${message[1]},${id}]`)
        if (message[0] === 70) answers.push(message[1])
      }
      const session = await router.join()
      const publication = await session.publish('com.example.t', nothing, {}, 1000)
      expect(publication).to.deep.equal({ publication_id: 2 ** 53 })
      const watcher = new Watcher()
      await session.watch('com.example.t', {}, 1000, watcher)
      raw?.send(`[36,${id},${id},{},["event"]]`)
      await watcher.until(1)
      expect(watcher.events[0]?.publication_id).to.equal(2 ** 53)
      await session.register('com.example.p', () => nothing)
      raw?.send(`[68,${id},${id},{}]`)
      await untilHolds(() => answers.length === 1)
      expect(answers).to.deep.equal([2 ** 53])
      expect(router.connections).to.equal(1)
    })
  })
}
