/** What a peer of the embedded router may send before WELCOME: any client that reaches the port is one. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { openRouter } from '#test/unit/router/open-router.ts'
import { allRoles, RouterPeer, subprotocols } from './peer.ts'

type Opened = Awaited<ReturnType<typeof openRouter>>

const hello = (authextra: object) => [1, 'realm1', { roles: allRoles, authextra }] as const

describe('before WELCOME, the embedded router', () => {
  let router: Opened
  const peers: RouterPeer[] = []
  const open = async (subprotocol?: string) => {
    const peer = await RouterPeer.open(router.url, subprotocol)
    peers.push(peer)
    return peer
  }
  before(async () => {
    router = await openRouter()
  })
  after(async () => {
    for (const peer of peers) peer.cut()
    await router.close()
  })

  it('takes a message of 60 kB', async () => {
    const peer = await open()
    expect((await peer.ask(...hello({ text: 'x'.repeat(60_000) })))[0]).to.equal(2)
  })

  for (const bytes of [70_000, 1_000_000]) {
    it(`refuses a message of ${bytes} bytes, and says why`, async () => {
      const peer = await open()
      expect(await peer.ask(...hello({ text: 'x'.repeat(bytes) }))).to.deep.equal([
        3,
        { message: 'expected at most 65536 bytes in a message before WELCOME' },
        'wamp.error.payload_size_exceeded',
      ])
      expect(await peer.closed).to.equal(1009)
    })
  }

  for (const subprotocol of subprotocols) {
    it(`refuses a message of more than 1,000 values (${subprotocol})`, async () => {
      const peer = await open(subprotocol)
      const answer = await peer.ask(...hello({ list: Array(1_000).fill(1) }))
      expect([answer[0], answer[2]]).to.deep.equal([3, 'wamp.error.protocol_violation'])
    })
  }

  it('ends the connection of a message that never ends', async () => {
    const { hostname, port } = new URL(router.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}) // it may be reset
    socket.write(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
        'Sec-WebSocket-Protocol: wamp.2.json\r\n\r\n',
    )
    await once(socket, 'data')
    // one text frame of 16,000,000 bytes, of which 300,000 are sent
    socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0xf4, 0x24, 0, 0, 0, 0, 0]))
    socket.write(Buffer.alloc(300_000))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString('latin1')).to.include('wamp.error.payload_size_exceeded')
    await new Promise((resolve) => socket.resume().once('close', resolve))
  })

  it('ends the connection of a peer that goes on with a message after it was told to go', async () => {
    const peer = await open()
    // so that it does not answer the close frame
    peer.webSocket.pause()
    peer.webSocket.send('x', { fin: false })
    peer.webSocket.send('{}', { fin: true })
    const { webSocket } = peer
    let bytes = 0
    while (webSocket.readyState === webSocket.OPEN && bytes < 5_000_000) {
      await new Promise((resolve) => webSocket.send(' '.repeat(60_000), { fin: false }, resolve))
      bytes += 60_000
      await new Promise((resolve) => setImmediate(resolve))
    }
    await peer.closed
    expect(bytes).to.be.lessThan(5_000_000)
  })

  it('ends the connection of a peer that pings and does not read', async () => {
    const peer = await open()
    peer.webSocket.pause()
    const { webSocket } = peer
    const sent = () => new Promise((resolve) => webSocket.ping('x'.repeat(125), true, resolve))
    while (webSocket.readyState === webSocket.OPEN) {
      for (let count = 0; count < 1_000; count++) webSocket.ping('x'.repeat(125))
      await sent()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await peer.closed
    expect(webSocket.readyState).to.equal(webSocket.CLOSED)
  })

  it('is as strict again with a peer that has said GOODBYE', async () => {
    const peer = await RouterPeer.join(router)
    peers.push(peer)
    const call = await peer.ask(48, 1, {}, 'a', ['x'.repeat(200_000), Array(2_000).fill(1)])
    expect(call[4]).to.equal('wamp.error.no_such_procedure')
    await peer.ask(6, {}, 'wamp.close.close_realm')
    const answer = await peer.ask(...hello({ text: 'x'.repeat(70_000) }))
    expect(answer[2]).to.equal('wamp.error.payload_size_exceeded')
  })
})
