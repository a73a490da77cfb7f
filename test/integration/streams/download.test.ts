/** A download in raw pieces: whole, and in constant memory. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { rounds } from '#test/support/running/rounds.ts'

const realm = 'com.example.test'
const procedure = 'com.example.export'
const code = { invocation: 68, yield: 70 } as const

const mebibyte = 1_048_576
const size = rounds(8, 100) * mebibyte
const pieceSize = 65_536
/** Bytes on their way at once: the callee waits for the client, which tells it what it has read. */
const ahead = mebibyte

/**
 * Growth of the memory of this process, which has the client and the callee, too, over three quarters of the download. In the short
 * form the process is still warming up.
 */
const mostGrowth = rounds(100, 25) * mebibyte

const document = {
  id: 'com.example.exports',
  host: '_',
  realm_uri: realm,
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        '/export': {
          get: {
            action: { type: 'wamp_call', procedure, progress_timeout: 30_000 },
            response: {
              on_progress: { body: '{{action.progress.args |> head}}' },
              on_result: { headers: { 'content-type': 'application/octet-stream' }, body: '' },
              on_error: {},
            },
          },
        },
      },
    },
  },
}

describe('a download in raw pieces', () => {
  let gateway: TestGateway
  let callee: RouterPeer

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
    callee = await RouterPeer.join({ url: gateway.routerUrl, realm }, 'wamp.2.msgpack')
    await callee.register(procedure)
  })
  after(async () => {
    callee.cut()
    await gateway.stop()
  })

  const open = async (): Promise<IncomingMessage> => {
    const outgoing = request(`${gateway.url}/v1/export`, { agent: false }).end()
    outgoing.on('error', () => undefined) // a cut body is told by its end
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return incoming
  }

  it(`of ${size / mebibyte} MiB equals its SHA-256, and memory does not grow with it`, async () => {
    const opening = open()
    const [, id] = await callee.next()
    const sent = createHash('sha256')
    const received = createHash('sha256')
    let read = 0
    let wake: () => void = () => undefined
    let before = 0
    const send = async (): Promise<void> => {
      for (let written = 0; written < size; written += pieceSize) {
        while (written - read > ahead) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const bytes = randomBytes(pieceSize)
        sent.update(bytes)
        callee.send(code.yield, id, { progress: true }, [bytes])
        if (written === size / 4) before = process.memoryUsage().rss
      }
      callee.send(code.yield, id, {})
    }
    const sending = send()
    const incoming = await opening
    expect(incoming.headers).to.include({
      'content-type': 'application/octet-stream',
      'transfer-encoding': 'chunked',
    })
    for await (const chunk of incoming) {
      received.update(chunk)
      read += chunk.length
      wake()
    }
    await sending
    expect(process.memoryUsage().rss - before).to.be.below(mostGrowth)
    expect(read).to.equal(size)
    expect(incoming.complete).to.equal(true)
    expect(received.digest('hex')).to.equal(sent.digest('hex'))
  })

  it('is cut where the call fails after the first byte', async () => {
    const opening = open()
    const [, id] = await callee.next()
    callee.send(code.yield, id, { progress: true }, ['é'])
    const incoming = await opening
    const [first] = await once(incoming, 'data')
    expect(first).to.deep.equal(Buffer.from('é'))
    incoming.on('error', () => undefined)
    callee.send(8, code.invocation, id, {}, 'com.example.broken')
    await new Promise((resolve) => incoming.once('close', resolve))
    expect(incoming.complete).to.equal(false)
  })
})
