/** What the embedded router holds for all its peers has a limit: who holds most goes, everybody else is served. */
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { Quota } from '#component/limits/quota.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const mebibyte = 1024 * 1024

/** Begins a message that never ends: in fragments (RFC 6455 §5.4). */
function begin(peer: RouterPeer): void {
  peer.webSocket.send('[', { fin: false })
}
const goOn = (peer: RouterPeer, bytes: number): Promise<void> =>
  new Promise((resolve) => {
    peer.webSocket.send(' '.repeat(bytes), { fin: false }, () => resolve())
  })

describe('what the embedded router holds for its peers', () => {
  let opened: Awaited<ReturnType<typeof openRouter>> & { readonly budget: Quota }
  const peers: RouterPeer[] = []
  const join = async () => {
    const peer = await RouterPeer.join(opened)
    peers.push(peer)
    return peer
  }
  beforeEach(async () => {
    const budget = new Quota(16 * mebibyte)
    opened = Object.assign(await openRouter({ budget }), { budget })
  })
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.cut()
    await opened.close()
  })
  const isServed = async (peer: RouterPeer) =>
    expect((await peer.ask(48, 77, {}, 'wamp.session.count'))[0]).to.equal(50)

  it('counts messages that are not finished, and forgets them with their peer', async () => {
    const peer = await join()
    begin(peer)
    await goOn(peer, mebibyte)
    await untilHolds(() => opened.budget.used >= mebibyte - 65_536)
    peer.cut()
    await untilHolds(() => opened.budget.used === 0)
    expect(opened.budget.used).to.equal(0)
  })

  it('drops the peer with the longest unfinished message, and no other one', async () => {
    const [great, small, ordinary] = [await join(), await join(), await join()]
    begin(great)
    begin(small)
    await goOn(great, 3 * mebibyte)
    await untilHolds(() => opened.budget.used > 2.9 * mebibyte)
    await goOn(small, 2 * mebibyte)
    await great.closed
    await isServed(ordinary)
    expect(small.webSocket.readyState).to.equal(WebSocket.OPEN)
  })

  it('drops peers that do not read, and serves the others', async () => {
    const publisher = await join()
    const reader = await join()
    await reader.subscribe('b')
    const slow = [await join(), await join(), await join()]
    for (const [index, peer] of slow.entries()) {
      await peer.subscribe(`a.${index}`)
      peer.webSocket.pause()
    }
    let most = 0
    for (let turns = 0; turns < 400 && opened.router.sessionCount > 3; turns++) {
      const uri = `a.${turns % slow.length}`
      await publisher.ask(16, turns + 1, { acknowledge: true }, uri, ['x'.repeat(100_000)])
      most = Math.max(most, opened.budget.used)
    }
    expect(opened.router.sessionCount).to.be.lessThan(5)
    expect(most).to.be.at.most(4 * mebibyte)
    publisher.send(16, 1_000, {}, 'b', ['x'.repeat(mebibyte)])
    expect((await reader.next())[0]).to.equal(36)
    for (const peer of slow) peer.cut()
    await untilHolds(() => opened.budget.used === 0)
  })

  it('delivers one large event to many peers, though it would not fit once for each', async () => {
    const publisher = await join()
    const readers = await Promise.all(Array.from({ length: 12 }, join))
    for (const reader of readers) await reader.subscribe('a')
    const text = 'x'.repeat(2 * mebibyte)
    publisher.send(16, 1, {}, 'a', [text])
    for (const reader of readers) expect((await reader.next())[4]).to.deep.equal([text])
    expect(opened.router.sessionCount).to.equal(13)
    await untilHolds(() => opened.budget.used === 0)
  })

  describe('in retained events', () => {
    /** An eighth of 16 MiB is for retained events; half of that for those of one realm. */
    const room = mebibyte
    const retain = { retain: true, acknowledge: true }
    const publish = (peer: RouterPeer, topic: string, bytes: number) =>
      peer.ask(16, 1, retain, topic, ['x'.repeat(bytes)])
    const retained = async (uri: string, options: object = {}) => {
      const peer = await join()
      await peer.subscribe(uri, { ...options, get_retained: true })
      return (await peer.drain()).map((event) => (event[4] as string[])[0]?.length)
    }

    it('refuses what does not fit, tells who acknowledges, and delivers it to nobody', async () => {
      const [peer, listener] = [await join(), await join()]
      await listener.subscribe('r.b')
      expect((await publish(peer, 'r.a', 0.7 * room))[0]).to.equal(17)
      expect((await publish(peer, 'r.b', 0.7 * room)).slice(4)).to.deep.equal([
        'wamp.error.payload_size_exceeded',
        ['the retained events of the realm leave too little room for this one'],
      ])
      expect(await listener.drain()).to.deep.equal([])
      expect((await publish(peer, 'r.b', 0.2 * room))[0]).to.equal(17)
      expect(await retained('r.', { match: 'prefix' })).to.deep.equal([
        Math.floor(0.7 * room),
        Math.floor(0.2 * room),
      ])
    })

    it('replaces the last one of a topic, and keeps it when the new one does not fit', async () => {
      const peer = await join()
      for (const bytes of [600_000, 700_000]) await publish(peer, 'a', bytes)
      expect((await publish(peer, 'a', 2 * room))[0]).to.equal(8)
      expect(await retained('a')).to.deep.equal([700_000])
      const { used } = opened.budget
      expect(used).to.be.within(700_000, 701_000)
    })

    it('gives the room back with the realm', async () => {
      await publish(await join(), 'a', 600_000)
      opened.router.closeRealm('realm1')
      await untilHolds(() => opened.budget.used === 0)
      expect(opened.budget.used).to.equal(0)
    })

    it('keeps every value as it is, and whom it is for', async () => {
      const [publisher, stranger] = [await join(), await join()]
      const text = '\\u0000AQID'
      const list = `[${text.length},9007199254740993,"${text}","é\\u0000",null,1.5]`
      const options = JSON.stringify({ ...retain, eligible_authid: ['anonymous'], exclude: [7] })
      publisher.webSocket.send(`[16,1,${options},"a.b",${list},{"k":[true]}]`)
      expect((await publisher.next())[0]).to.equal(17)
      let raw = ''
      stranger.webSocket.on('message', (data) => {
        raw = String(data)
      })
      await stranger.subscribe('a.', { match: 'wildcard', get_retained: true })
      await stranger.next()
      expect(raw).to.include(`{"topic":"a.b","retained":true},${list},{"k":[true]}]`)
    })
  })
})
