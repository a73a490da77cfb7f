/** Upstreams of the tests: one that is well-behaved, one that answers nonsense, one that takes no connection. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request as the upstream saw it. */
interface Seen {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A well-behaved upstream: notes what it gets and answers `{"a":1}` with what its query asks for. */
export interface Upstream {
  readonly host: string
  readonly port: number
  readonly seen: readonly Seen[]
  /** Bytes on a connection that were no request. */
  readonly faults: number
  stop(): void
}

/** Query keys: `cookie` sets one, `location` redirects with 302. */
export async function openUpstream(): Promise<Upstream> {
  const seen: Seen[] = []
  let faults = 0
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    seen.push({ url, headers, body: await text(request) })
    const query = new URL(url, 'http://upstream').searchParams
    const location = query.get('location')
    response.setHeader('content-type', 'application/json')
    if (location !== null) {
      response.statusCode = 302
      response.setHeader('location', location)
    }
    const cookies = query.getAll('cookie')
    if (cookies.length > 0) response.setHeader('set-cookie', cookies)
    response.end('{"a":1}')
  })
  server.on('clientError', (_error, socket) => {
    faults++
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ host: `127.0.0.1:${port}`, port, seen },
    get faults() {
      return faults
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Answers a connection's first bytes with those that the last part of the target names, and then keeps silent. */
export async function openRawUpstream(
  answers: Readonly<Record<string, string>>,
): Promise<{ readonly host: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      const target = data.toString('latin1').split(' ')[1] ?? ''
      socket.write(answers[target.slice(target.lastIndexOf('/') + 1)] ?? '', 'latin1')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A port of loopback where nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Listens with a queue of one and then sleeps for ever, so that nobody takes connections from the queue. */
const sleeper = `
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** How long a connection to a host that answers takes at most on loopback, in milliseconds. */
const connectedWithin = 300

/**
 * A host on loopback whose kernel drops every SYN, because the queue of the listener is full.
 * @throws where the system takes connections beyond the queue
 */
export async function openSilentHost(): Promise<{ readonly host: string; stop(): void }> {
  const child: ChildProcess = spawn(process.execPath, ['-e', sleeper], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [told] = child.stdout ? await once(child.stdout, 'data') : []
  const port = Number(String(told))
  const sockets: Socket[] = []
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  }
  for (let count = 0; count < 64; count++) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), connectedWithin)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
    if (!isTaken) return { host: `127.0.0.1:${port}`, stop }
  }
  stop()
  throw new Error('the queue of a listener never filled')
}
