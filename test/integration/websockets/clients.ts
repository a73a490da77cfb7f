/** Clients that open WebSockets through a gateway, and the documents that let them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { until } from '#test/support/running/until.ts'

/** RFC 6455 §1.3. */
export const key = 'dGhlIHNhbXBsZSBub25jZQ=='
export const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

/** An API whose paths forward to `host`, with WebSockets. @param paths by name: what the path has beside `get`, and the action beside the forward */
export const socketsTo = (
  host: string,
  paths: Readonly<Record<string, { action?: object; path?: object; get?: object }>> = { echo: {} },
  more: object = {},
) => ({
  id: 'com.example.sockets',
  host: '_',
  realm_uri: 'com.example.test',
  ...more,
  versions: {
    '1': {
      base_path: '/v1',
      paths: Object.fromEntries(
        Object.entries(paths).map(([name, { action, path, get }]) => [
          `/${name}`,
          {
            ...path,
            get: {
              action: { type: 'forward', host, path: '/up', websocket: true, ...action },
              response: {},
              ...get,
            },
          },
        ]),
      ),
    },
  },
})

/** A WebSocket that is open. @throws Error with the status of another answer */
export async function opened(
  base: string,
  path: string,
  options: ClientOptions & { readonly protocols?: string[] } = {},
): Promise<WebSocket> {
  const { protocols = [], ...rest } = options
  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}${path}`, protocols, {
    perMessageDeflate: false,
    ...rest,
  })
  socket.on('error', () => undefined)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.on('open', () => resolve())
  socket.on('unexpected-response', (_request, { statusCode }) => {
    reject(new Error(`answered ${statusCode}`))
  })
  socket.on('close', (code) => reject(new Error(`closed ${code}`)))
  await promise
  return socket
}

/** Sends a message and waits for the next one. */
export async function echoed(socket: WebSocket, message: string | Buffer): Promise<Buffer> {
  const answer = once(socket, 'message')
  socket.send(message)
  const [data] = (await answer) as [Buffer]
  return data
}

/** The code and the reason that a socket is closed with. */
export async function closing(socket: WebSocket): Promise<readonly [code: number, reason: string]> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  return [code, reason.toString()]
}

/** An opening handshake, as text. @param fields in place of the usual ones; undefined: left out */
export function handshake(
  path: string,
  fields: Readonly<Record<string, string | undefined>> = {},
  line = `GET ${path} HTTP/1.1`,
): string {
  const all = {
    host: 'localhost',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': key,
    'sec-websocket-version': '13',
    ...fields,
  }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  )
  return `${[line, ...lines].join('\r\n')}\r\n\r\n`
}

/** A connection whose bytes a test writes itself. */
export class RawSocket {
  readonly socket: Socket
  /** What has come, as Latin-1. */
  received = ''
  isEnded = false

  constructor(base: string) {
    const { hostname, port } = new URL(base)
    this.socket = connect(Number(port), hostname)
    this.socket.on('error', () => undefined)
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1')
    })
    this.socket.on('end', () => {
      this.isEnded = true
    })
    this.socket.on('close', () => {
      this.isEnded = true
    })
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes)
  }

  /** The status of the first answer. */
  async status(): Promise<number> {
    await until('a status line', () => this.received.includes('\r\n\r\n'))
    return Number(this.received.slice(9, 12))
  }

  /** Waits until the gateway has ended the connection. */
  async ended(): Promise<void> {
    await until('the end', () => this.isEnded)
  }
}
