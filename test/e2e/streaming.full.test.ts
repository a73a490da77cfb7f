/** A forward of a great body, up and down, through a gateway process of its own: its memory grows by less than 50 MB. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { npmStart, type StartedGateway } from '#test/support/npm-start.ts'
import { rounds } from '#test/support/running/rounds.ts'

/** Many times what the process may grow by. */
const size = rounds(250_000_000, 1_000_000_000)
const most = 50_000_000
const piece = Buffer.alloc(100_000, 'x')

/** As many bytes as asked for, piece by piece. */
function* bytes(length: number): Generator<Buffer> {
  for (let left = length; left > 0; left -= piece.length) yield piece.subarray(0, left)
}

async function count(stream: Readable): Promise<number> {
  let total = 0
  for await (const chunk of stream) total += (chunk as Buffer).length
  return total
}

/** Counts what it is sent, and sends as many bytes as the path says. */
function openUpstream(): Server {
  return createServer((incoming, response) => {
    const length = Number(incoming.url?.split('/').at(-1))
    const work =
      incoming.method === 'PUT'
        ? count(incoming).then((total) => response.end(String(total)))
        : pipeline(Readable.from(bytes(length)), response)
    work.catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
}

const documentOf = (port: number) => ({
  id: 'com.example.streaming',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    one: {
      base_path: '/stream',
      paths: {
        '/:length': Object.fromEntries(
          ['get', 'put'].map((method) => [
            method,
            {
              body_max_bytes: 2 * size,
              action: {
                type: 'forward',
                host: `http://127.0.0.1:${port}`,
                path: '/{{request.bindings.length}}',
                timeout: 600_000,
              },
              response: {},
            },
          ]),
        ),
      },
    },
  },
})

const readStatus = (pid: number, key: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const line = status.split('\n').find((text) => text.startsWith(`${key}:`)) ?? ''
  return Number.parseInt(line.slice(key.length + 1), 10) * 1024
}

/** Bytes by which the process grew at most while the transfer ran: what the kernel noted, or saw the samples. */
async function growthOf(pid: number, transfer: () => Promise<void>): Promise<number> {
  const start = readStatus(pid, 'VmRSS')
  const startPeak = readStatus(pid, 'VmHWM')
  let peak = start
  const sample = () => {
    peak = Math.max(peak, readStatus(pid, 'VmRSS'))
  }
  const timer = setInterval(sample, 20)
  try {
    await transfer()
  } finally {
    clearInterval(timer)
  }
  sample()
  const noted = readStatus(pid, 'VmHWM')
  return Math.max(peak, noted > startPeak ? noted : 0) - start
}

describe(`a forward of ${size / 1_000_000} MB`, function () {
  this.timeout(300_000)
  let upstream: Server
  let gateway: StartedGateway
  let data_dir: string

  before(async () => {
    upstream = openUpstream()
    await once(upstream, 'listening')
  })
  after(() => {
    upstream.closeAllConnections()
    upstream.close()
  })
  beforeEach(async () => {
    data_dir = mkdtempSync(join(tmpdir(), 'gateway-streaming-'))
    gateway = await npmStart({ data_dir })
    const realm = { uri: 'com.example.test', authmethods: ['anonymous'] }
    await send(gateway.adminUrl, '/realms', { method: 'POST', body: realm })
    const body = documentOf((upstream.address() as AddressInfo).port)
    const { status } = await send(gateway.adminUrl, '/api_specs', { method: 'POST', body })
    expect(status).to.equal(201)
  })
  afterEach(async () => {
    await gateway.stop()
    rmSync(data_dir, { recursive: true, force: true })
  })

  async function upload(length: number, isChunked: boolean): Promise<void> {
    const outgoing = request(`${gateway.url}/stream/0`, {
      method: 'PUT',
      agent: false,
      headers: {
        'content-type': 'application/octet-stream',
        ...(isChunked ? {} : { 'content-length': String(length) }),
      },
    })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    await pipeline(Readable.from(bytes(length)), outgoing)
    const [incoming] = await answered
    let text = ''
    for await (const chunk of incoming) text += String(chunk)
    expect(incoming.statusCode, text).to.equal(200)
    expect(Number(text)).to.equal(length)
  }

  async function download(length: number): Promise<void> {
    const outgoing = request(`${gateway.url}/stream/${length}`, { agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(incoming.statusCode).to.equal(200)
    expect(await count(incoming)).to.equal(length)
  }

  const transfers = {
    upload: () => upload(size, false),
    'upload of unknown length': () => upload(size, true),
    download: () => download(size),
  }
  for (const [name, transfer] of Object.entries(transfers)) {
    it(`as ${name}, the first thing that the process does, grows it by less than 50 MB`, async () => {
      const grown = await growthOf(gateway.pid, transfer)
      expect(grown).to.be.lessThan(most)
    })
  }

  it('after a first one, up and down, grows it by less than 50 MB', async () => {
    await upload(100_000_000, false)
    await download(100_000_000)
    const grown = await growthOf(gateway.pid, async () => {
      await upload(size, false)
      await download(size)
    })
    expect(grown).to.be.lessThan(most)
  })
})
