/** Events that cannot be encoded for a subscriber: it is left out, the others are not, and the log is told. */
import { expect } from 'chai'
import type { UnreadableMessage } from '#component/router/realm-ports.ts'
import type { Link } from '#component/wamp/link.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { settled } from '#test/unit/action/doubles.ts'
import { openRouter } from './open-router.ts'

type Opened = Awaited<ReturnType<typeof openRouter>>

/** Payloads that only a session in this process can publish. */
const payloads: readonly (readonly [what: string, problem: RegExp, ...payload: unknown[]])[] = [
  ['half a surrogate pair in args', /not valid Unicode/, ['\ud800']],
  ['half a surrogate pair in kwargs', /not valid Unicode/, [], { a: '\udc00' }],
  ['an integer of 65 bits', /more than 64 bits/, [2n ** 64n]],
  ['a negative integer of 65 bits', /more than 64 bits/, [-(2n ** 63n) - 1n]],
  ['such an integer in a list in a map', /more than 64 bits/, [{ a: [2n ** 70n] }]],
]

const topic = 'com.example.topic'

describe('An event that cannot be encoded for a subscriber', () => {
  let router: Opened
  let told: UnreadableMessage[]
  let link: Link
  beforeEach(async () => {
    told = []
    router = await openRouter({ onUnsent: (message) => told.push(message) })
    link = router.router.openLink()
    link.send([1, 'realm1', { roles: { publisher: {} } }])
    await settled()
  })
  afterEach(() => {
    link.close(1000, '')
    return router.close()
  })

  for (const [what, problem, ...payload] of payloads) {
    for (const subprotocol of ['wamp.2.msgpack', 'wamp.2.cbor']) {
      it(`is told with topic and reason, and the session goes on: ${what} (${subprotocol})`, async () => {
        const subscriber = await RouterPeer.join(router, subprotocol)
        await subscriber.subscribe(topic)
        link.send([16, 1, {}, topic, ...payload])
        link.send([16, 2, {}, topic, ['next']])
        expect((await subscriber.next()).slice(4)).to.deep.equal([['next']])
        expect(told).to.have.length(1)
        expect(told[0]).to.include({ realm: 'realm1', uri: topic })
        expect(told[0]?.problem).to.match(problem)
      })
    }
  }

  it('reaches the subscribers of a serializer that has the value', async () => {
    const json = await RouterPeer.join(router, 'wamp.2.json')
    const msgpack = await RouterPeer.join(router, 'wamp.2.msgpack')
    await json.subscribe(topic)
    await msgpack.subscribe('com.example.', { match: 'prefix' })
    link.send([16, 1, {}, topic, ['\ud800']])
    expect((await json.next()).slice(4)).to.deep.equal([['\ud800']])
    expect(await msgpack.drain()).to.deep.equal([])
    expect(told.map(({ uri }) => uri)).to.deep.equal([topic])
  })

  it('tells of each subscriber, for the log to bound', async () => {
    for (let count = 0; count < 3; count++) {
      await (await RouterPeer.join(router, 'wamp.2.cbor')).subscribe(topic)
    }
    link.send([16, 1, {}, topic, [2n ** 64n]])
    await settled()
    expect(told).to.have.length(3)
  })

  it("is the publisher's to know where it is to be retained", async () => {
    const answers: unknown[][] = []
    link.onMessage = (message) => void answers.push([...message])
    link.send([16, 1, { retain: true, acknowledge: true }, topic, [2n ** 64n]])
    await settled()
    expect(answers.map((answer) => answer[4])).to.deep.equal(['wamp.error.invalid_argument'])
    expect(told).to.deep.equal([])
  })
})
