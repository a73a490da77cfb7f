/** Servers of TLS whose clients are slow, leave in the middle of the handshake, or break it. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { TlsContexts } from '#http/tls/tls-contexts.ts'
import { readTls } from '#http/tls/tls-setup.ts'
import { type WrittenCertificate, writeCertificate } from '#test/support/certificate.ts'
import { helloOf, portOf } from '#test/support/tls/hello.ts'
import { settled } from '#test/unit/action/doubles.ts'

describe('a server of TLS', () => {
  let folder: string
  let pair: WrittenCertificate
  let contexts: TlsContexts
  let server: Server
  let secured: TLSSocket[]
  const open = async (headersTimeout = 60_000) => {
    contexts = new TlsContexts(readTls({ certificates: [pair] }), systemClock)
    secured = []
    const accept = (socket: TLSSocket) => {
      secured.push(socket)
      socket.on('error', () => socket.destroy())
      socket.pipe(socket)
    }
    server = contexts.createServer({ headersTimeout }, () => false, accept)
    server.on('clientError', (_, socket) => socket.destroy())
    await once(server.listen(0, '127.0.0.1'), 'listening')
  }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-handshakes-'))
    pair = writeCertificate(folder)
  })
  after(() => rmSync(folder, { recursive: true }))
  afterEach(() => {
    contexts.close()
    for (const socket of secured) socket.destroy()
    server.close()
  })

  const options = (): ConnectionOptions => ({
    ...{ ca: readFileSync(pair.cert), servername: 'localhost', ALPNProtocols: ['h2'] },
    ...{ host: '127.0.0.1', port: portOf(server) },
  })
  const plain = async () => {
    const socket = connectPlain(portOf(server), '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  /** Whether a client that behaves is served. */
  const echo = async () => {
    const client = connect(options())
    client.write('hello')
    const [data] = await once(client, 'data')
    client.destroy()
    return String(data)
  }

  it('serves a client whose hello comes in pieces, and one beside it that says nothing', async () => {
    await open()
    const silent = await plain()
    const slow = await plain()
    const hello = await helloOf({ ALPNProtocols: ['h2'] })
    const answered = once(slow, 'data')
    for (const piece of [hello.subarray(0, 3), hello.subarray(3, 200), hello.subarray(200)]) {
      slow.write(piece)
      await settled()
    }
    const [answer]: Buffer[] = await answered
    // a record of the handshake (RFC 8446 §5.1)
    expect(answer?.[0]).to.equal(22)
    expect(await echo()).to.equal('hello')
    silent.destroy()
    slow.destroy()
  })

  for (const isReset of [false, true]) {
    const how = isReset ? 'resets' : 'ends'
    for (const length of [0, 50, undefined]) {
      const what = length === undefined ? 'its hello' : `${length} bytes of it`
      it(`goes on when a client ${how} the connection after ${what}`, async () => {
        await open()
        const hello = await helloOf({ requestOCSP: true })
        for (let count = 0; count < 30; count++) {
          const client = await plain()
          client.write(hello.subarray(0, length))
          for (let turns = 0; turns < count % 6; turns++) await settled()
          if (isReset) client.resetAndDestroy()
          else client.end()
        }
        expect(await echo()).to.equal('hello')
      })
    }
  }

  it('closes connections whose client says nothing, and those whose handshake does not end', async () => {
    await open(50)
    const [silent, half] = [await plain(), await plain()]
    half.resume().write(await helloOf({}))
    await Promise.all([once(silent, 'close'), once(half, 'close')])
    expect(secured).to.deep.equal([])
  })

  it('closes those of both kinds when it is told to', async () => {
    await open()
    const [silent, half] = [await plain(), await plain()]
    half.write(await helloOf({}))
    await once(half, 'data')
    const closed = Promise.all([once(silent, 'close'), once(half, 'close')])
    contexts.close()
    await closed
  })
})
