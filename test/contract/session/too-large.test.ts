/** A router that closes the session over a message that is too large for it, as Crossbar.io does. */
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocketServer } from 'ws'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { basics } from './support.ts'

describe('a message that is too large for the router', () => {
  let server: WebSocketServer
  let session: SupervisedSession

  before(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const text = String(data)
        if (text.length > 10_000) {
          socket.close(1009)
          return
        }
        const [type, id] = JSON.parse(text)
        const roles = { dealer: { features: {} }, broker: { features: {} } }
        if (type === 1) socket.send(JSON.stringify([2, 1, { roles }]))
        if (type === 48 && text.includes('answered')) socket.send(JSON.stringify([50, id, {}]))
      })
    })
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    session = requestSession({ ...basics, serializer: 'json', url: `ws://127.0.0.1:${port}` })
    expect(await session.joined(10_000)).to.equal(true)
  })
  after(async () => {
    await session.leave()
    server.close()
  })

  const call = (procedure: string, length: number) =>
    session
      .call(procedure, { args: ['x'.repeat(length)], kwargs: {} }, {}, 10_000)
      .result.catch((error: unknown) => error)

  it('is the failure of its own request, and the next one is refused before it is sent', async () => {
    const waiting = call('com.example.waiting', 5_000)
    const tooLarge = await call('com.example.large', 20_000)
    expect(tooLarge).to.have.property('error_uri', 'wamp.error.payload_size_exceeded')
    expect(tooLarge)
      .to.have.property('reason')
      .that.matches(/^the message of 20\d\d\d bytes is larger than the router takes$/)
    expect(await waiting).to.have.property('error_uri', 'wamp.error.net_failure')
    expect(await session.joined(10_000)).to.equal(true)
    const again = await call('com.example.large', 20_000)
    expect(again).to.include({ error_uri: 'wamp.error.payload_size_exceeded', wasSent: false })
    expect(session.isOpen).to.equal(true)
    expect(await call('com.example.answered', 5_000)).to.have.property('request_id')
  })
})
