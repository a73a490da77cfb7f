/** 1,000 clients that go away in the middle of a download, an upload or a WAMP call: nothing of them stays. */
import { readdirSync, readlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { readMetric } from '#test/support/load.ts'
import { until } from '#test/support/running/until.ts'

const total = 1000
const atOnce = 50
const realm = 'com.example.test'
const procedure = 'com.example.test.endless'
const kinds = ['download', 'upload', 'call'] as const
type Kind = (typeof kinds)[number]

const megabyte = Buffer.alloc(1_000_000, 'x')

/** Lets one wait for what happens to a client, by its number. */
class Meetings {
  readonly #waiting = new Map<number, () => void>()

  with(client: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(client, resolve))
  }

  has(client: number): void {
    this.#waiting.get(client)?.()
    this.#waiting.delete(client)
  }
}

/** Downloads that do not end, uploads that are read but not answered before they have. */
class Upstream {
  readonly server: Server
  /** Connections that broke before their request or answer was complete. */
  broken = 0
  /** Uploads of which something has arrived. */
  readonly uploads = new Meetings()

  constructor() {
    this.server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        const more = () => {
          while (!response.destroyed && response.write(megabyte));
        }
        response.on('drain', more)
        more()
        response.on('close', () => {
          this.broken += 1
        })
        return
      }
      request.on('error', () => {
        this.broken += 1
      })
      const client = Number(request.url?.split('/').at(-1))
      request.on('data', () => this.uploads.has(client))
      request.on('end', () => response.end())
    })
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await new Promise((resolve) => this.server.once('listening', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

/** Never answers a call before it is interrupted. */
class EndlessCallee {
  invoked = 0
  interrupted = 0
  readonly peer: RouterPeer
  /** Calls that have arrived. */
  readonly calls = new Meetings()

  constructor(peer: RouterPeer) {
    this.peer = peer
    peer.webSocket.on('message', (data) => {
      const [type, request, , , args] = JSON.parse(String(data))
      if (type === 68) {
        this.invoked += 1
        this.calls.has(args[0])
      } else if (type === 69) {
        this.interrupted += 1
        peer.send(8, 68, request, {}, 'wamp.error.canceled')
      }
    })
  }
}

const document = (upstream: string) => ({
  id: 'com.example.leaving',
  host: '_',
  realm_uri: realm,
  versions: {
    '1.0.0': {
      base_path: '/leaving',
      paths: {
        '/download': {
          get: {
            action: { type: 'forward', host: upstream, path: '/download' },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/upload/:client': {
          post: {
            action: {
              type: 'forward',
              host: upstream,
              path: '/upload/{{request.bindings.client}}',
              http_method: 'post',
            },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/call/:client': {
          get: {
            action: {
              type: 'wamp_call',
              procedure,
              args: ['{{request.bindings.client |> integer}}'],
            },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
})

const heads: Readonly<Record<Kind, (client: number) => string>> = {
  download: () => 'GET /leaving/download HTTP/1.1\r\nHost: localhost\r\n\r\n',
  upload: (client) =>
    `POST /leaving/upload/${client} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: 20000000\r\n\r\n`,
  call: (client) => `GET /leaving/call/${client} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
}

/** File descriptors of this process that are sockets. */
function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')
    } catch {
      return false // it was the one of the folder itself
    }
  }).length
}

describe('1,000 clients that disconnect in the middle', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let callee: EndlessCallee
  let socketsBefore = 0
  let begun = 0
  let left = 0
  const inFlight = () => readMetric(gateway.adminUrl, 'gateway_http_requests_in_flight')
  const pending = () => readMetric(gateway.adminUrl, 'gateway_wamp_calls_in_flight')

  /** Sends a request; resolves when it is half done: enough was downloaded, uploaded, or the callee is at it. */
  async function begin(kind: Kind, client: number, socket: Socket): Promise<void> {
    const met = kind === 'call' ? callee.calls.with(client) : upstream.uploads.with(client)
    socket.write(heads[kind](client))
    if (kind === 'upload') socket.write(megabyte.subarray(0, 200_000))
    if (kind !== 'download') {
      const answered = new Promise<never>((_resolve, reject) => {
        socket.once('data', (data) => reject(new Error(`answered too early: ${data}`)))
      })
      return Promise.race([met, answered])
    }
    let received = 0
    return new Promise((resolve) => {
      socket.on('data', ({ length }) => {
        received += length
        if (received > 100_000) resolve()
      })
    })
  }

  async function leaveDuring(kind: Kind): Promise<void> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('error', () => {}) // it is cut on purpose
    await new Promise((resolve) => socket.once('connect', resolve))
    begun += 1
    await begin(kind, begun, socket)
    left += 1
    // half of them in order, half of them by a reset
    if (left % 2 === 0) socket.destroy()
    else socket.resetAndDestroy()
  }

  /** So many clients of each kind in turn, some at once. */
  async function run(count: number): Promise<void> {
    let started = 0
    const worker = async () => {
      while (started < count) {
        started += 1
        await leaveDuring(kinds[started % kinds.length] ?? 'call')
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
  }

  const settled = () =>
    until(
      'nothing is in flight but the question',
      async () => (await inFlight()) === 1 && (await pending()) === 0,
    )

  before(async () => {
    upstream = new Upstream()
    const upstreamUrl = await upstream.start()
    gateway = await startGateway()
    callee = new EndlessCallee(await RouterPeer.join({ url: gateway.routerUrl, realm }))
    await callee.peer.register(procedure)
    await gateway.mustLoad(document(upstreamUrl))
    await run(3)
    await settled()
    await until('the upstream has no connection', async () => (await upstream.connections()) === 0)
    socketsBefore = openSockets()
    await run(total)
  })

  after(async () => {
    callee?.peer.cut()
    await gateway?.stop()
    upstream?.stop()
  })

  it('leave no call and no request in flight', async () => {
    await settled()
    expect(left).to.equal(total + 3)
  })

  it('leave no connection to the upstream', async () => {
    await until('no connection is left', async () => (await upstream.connections()) === 0)
    expect(upstream.broken).to.equal(left - callee.invoked)
  })

  it('leave as many sockets as before', async () => {
    await until('the sockets are closed', () => openSockets() <= socketsBefore)
  })

  it('let a callee that announces call_canceling see INTERRUPT for each call', async () => {
    expect(callee.invoked).to.be.above(total / 4)
    await until('each is interrupted', () => callee.interrupted === callee.invoked)
  })
})
