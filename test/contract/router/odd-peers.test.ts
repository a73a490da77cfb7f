/** Peers of the embedded router as they are: what clients send that the specification does not foresee. */
import { expect } from 'chai'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer, subprotocols } from './peer.ts'

type Opened = Awaited<ReturnType<typeof openRouter>>

describe('The embedded router', () => {
  let router: Opened
  beforeEach(async () => {
    router = await openRouter()
  })
  afterEach(() => router.close())

  describe('takes null for an empty list or map', () => {
    const empty = [[], {}]
    for (const subprotocol of subprotocols) {
      it(`in CALL, YIELD and ERROR (${subprotocol})`, async () => {
        const [callee, caller] = [
          await RouterPeer.join(router, subprotocol),
          await RouterPeer.join(router, subprotocol),
        ]
        await callee.register('a', null as never)
        for (const [sent, received] of [
          [[], []],
          [[null], [[]]],
          [[null, null], empty],
          [
            [null, { a: null }],
            [[], { a: null }],
          ],
          [
            [[null], null],
            [[null], {}],
          ],
        ]) {
          caller.send(48, 7, null, 'a', ...(sent ?? []))
          const [, request, , details, ...passed] = await callee.next()
          expect([details, ...passed]).to.deep.equal([{}, ...(received ?? [])])
          callee.send(70, request, null, ...(sent ?? []))
          expect(await caller.next()).to.deep.equal([50, 7, {}, ...(received ?? [])])
          caller.send(48, 8, {}, 'a')
          callee.send(8, 68, (await callee.next())[1], null, 'e', ...(sent ?? []))
          expect(await caller.next()).to.deep.equal([8, 48, 8, {}, 'e', ...(received ?? [])])
        }
      })

      it(`in PUBLISH and SUBSCRIBE, also of retained events (${subprotocol})`, async () => {
        const [publisher, subscriber] = [
          await RouterPeer.join(router, subprotocol),
          await RouterPeer.join(router, subprotocol),
        ]
        await subscriber.subscribe('a', null as never)
        publisher.send(16, 1, null, 'a', null, { b: 1 })
        expect((await subscriber.next()).slice(3)).to.deep.equal([{}, [], { b: 1 }])
        publisher.send(16, 2, { retain: true }, 'a', null, null)
        expect((await subscriber.next()).slice(3)).to.deep.equal([{}, ...empty])
        subscriber.send(32, 3, { get_retained: true }, 'a')
        expect((await subscriber.next())[0]).to.equal(33)
        expect((await subscriber.next()).slice(4)).to.deep.equal(empty)
      })

      it(`in CANCEL and GOODBYE (${subprotocol})`, async () => {
        const peer = await RouterPeer.join(router, subprotocol)
        await peer.register('a')
        peer.send(48, 1, {}, 'a')
        expect((await peer.next())[0]).to.equal(68)
        peer.send(49, 1, null)
        const answers = [await peer.next(), await peer.next()].map(([code]) => code)
        expect(answers).to.have.members([69, 8])
        expect((await peer.ask(6, null, 'wamp.close.close_realm'))[0]).to.equal(6)
      })
    }
  })
})
