/** Listeners with a small gateway behind them, and raw sockets to talk to them. */
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { Quota } from '#component/limits/quota.ts'
import { openLog } from '#component/log.ts'
import { RefusedLogin } from '#component/login-refusal.ts'
import { Families } from '#component/metrics/families.ts'
import { ownPath } from '#component/metrics/place.ts'
import type { ContentLimits } from '#component/request.ts'
import { defaultValues } from '#component/spec/defaults.ts'
import type { HttpOptions } from '#http/options.ts'
import { type HttpPorts, type Listeners, startListeners } from '#http/server.ts'
import type { Procedure } from '#procedures/definition/procedure.ts'

const json = ['application/json', 'application/msgpack']

export const bodyLimits: ContentLimits = {
  body_max_bytes: 30_000_000,
  multipart: defaultValues.multipart,
  body_max_keys: 10_000,
  body_read_bytes: 8_000_000,
  body_read_seconds: 1000,
}

const value = (body: unknown, type = 'application/json', status = 200) =>
  ({
    status,
    headers: {},
    body: { kind: 'value', value: body, type },
  }) as const

const nobody = new RefusedLogin({ authmethod: 'bearer', reason: 'not known' })

/** Echoes bodies at /v1/x, passes them through at /v1/raw, waits for ever at /v1/slow, fails at /v1/bug. */
async function serve(exchange: Exchange): Promise<Reply> {
  const type = exchange.negotiate(json)
  if (type === undefined) {
    throw new ServiceError('service.error.not_acceptable', 'no such type is provided')
  }
  if (exchange.path === '/v1/bug') throw new TypeError('secret detail')
  if (exchange.path === '/v1/slow') {
    return await new Promise((resolve) => {
      exchange.onAbort(() => resolve(value('aborted')))
    })
  }
  if (exchange.path === '/v1/raw') {
    const raw = exchange.rawBody(bodyLimits)
    if (!('stream' in raw)) throw new TypeError('the body was read before')
    return { status: 200, headers: {}, body: { kind: 'stream', ...raw } }
  }
  if (exchange.path === '/v1/endless') {
    const stream = new Readable({ read() {} })
    stream.push('first')
    return { status: 200, headers: {}, body: { kind: 'stream', stream, length: undefined } }
  }
  if (!['post', 'put', 'patch'].includes(exchange.method)) return value({ ok: true }, type)
  if (exchange.hasBody && !exchange.isAccepted([...json, 'application/x-www-form-urlencoded'])) {
    throw new ServiceError('service.error.unsupported_media_type', 'no such type is accepted')
  }
  const { body } = await exchange.readBody(bodyLimits)
  return value(body, type)
}

const paths = ['/v1/x', '/v1/bug', '/v1/slow', '/v1/raw', '/v1/endless']

/** What is logged, as objects. */
type LogLine = Readonly<Record<string, unknown>>

export interface Fixture {
  readonly listeners: Listeners
  readonly port: number
  readonly adminPort: number
  /** Exchanges that reached the gateway. */
  readonly routed: Exchange[]
  readonly logged: LogLine[]
  stop(): Promise<void>
}

export const options: HttpOptions = {
  gateway: {
    listen: '127.0.0.1:0',
    trusted_proxies: [],
    forwarded_header: 'x-forwarded-for',
    ws_allowed_origins: [],
    drain_delay: 0,
    drain_timeout: 2000,
    http2: true,
  },
  admin: { listen: '127.0.0.1:0', console: false, share_gateway_listener: 'auto' },
  health: {},
  router: {},
  limits: {
    max_connections: 100,
    headers_timeout: 1000,
    request_timeout: 5000,
    keep_alive_timeout: 5000,
    max_requests_per_socket: 0,
    http2_streams: 128,
    http2_idle_timeout: 60_000,
  },
  log: { access: true },
}

/** Opens listeners on free ports. */
export async function open(
  change: Partial<HttpPorts> & { readonly gatewayOptions?: Partial<HttpOptions['gateway']> } = {},
): Promise<Fixture> {
  const routed: Exchange[] = []
  const logged: LogLine[] = []
  const log = openLog('info', {
    write: (line: string) => void logged.push(JSON.parse(line)),
  })
  const listeners = await startListeners({
    clock: systemClock,
    log,
    budget: new Quota(134_217_728),
    gateway: {
      handle(exchange) {
        if (!paths.includes(exchange.path)) return undefined
        exchange.served = ownPath('/v1/x')
        routed.push(exchange)
        return serve(exchange)
      },
    },
    procedures: [] as readonly Procedure[],
    management: { refusal: () => undefined } as HttpPorts['management'],
    operators: { authenticate: async () => nobody },
    yieldTurn: () => undefined,
    webSocket: { kind: 'pipe', url: 'ws://127.0.0.1:1' },
    metrics: {},
    servedPaths: () => [],
    families: new Families({ now: systemClock.now }),
    isReady: () => true,
    problems: () => [],
    ...change,
    options: {
      ...(change.options ?? options),
      gateway: { ...(change.options ?? options).gateway, ...change.gatewayOptions },
    },
  })
  return {
    listeners,
    port: listeners.addresses.gateway[0]?.port ?? 0,
    adminPort: listeners.addresses.admin[0]?.port ?? 0,
    routed,
    logged,
    stop: () => listeners.finish(),
  }
}

export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The connection ended after it. */
  readonly isClosed: boolean
}

/** A socket that sends bytes as they are and reads answers one by one. */
export class RawClient {
  readonly socket: Socket
  #received = Buffer.alloc(0)

  constructor(port: number, localAddress = '127.0.0.1') {
    this.socket = connect({ port, host: '127.0.0.1', localAddress })
    this.socket.on('error', () => undefined)
    // one reader waits for a lot of answers
    this.socket.setMaxListeners(0)
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  async #more(): Promise<boolean> {
    if (this.socket.readableEnded || this.socket.destroyed) return false
    const chunk = this.socket.read() as Buffer | null
    if (chunk) {
      this.#received = Buffer.concat([this.#received, chunk])
      return true
    }
    await new Promise((resolve) => this.socket.once('readable', resolve).once('close', resolve))
    return true
  }

  /** Reads one answer; status 0 when the connection ends without. */
  async read(hasBody = true): Promise<Answer> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end >= 0) return await this.#rest(end, hasBody)
      if (!(await this.#more())) return { status: 0, headers: {}, body: '', isClosed: true }
    }
  }

  async #rest(end: number, hasBody: boolean): Promise<Answer> {
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const status = Number(first.split(' ')[1])
    const length = hasBody && status >= 200 && status !== 204 ? headers['content-length'] : '0'
    const size = length === undefined ? Number.POSITIVE_INFINITY : Number(length)
    while (this.#received.length < end + 4 + size) {
      if (!(await this.#more())) break
    }
    const body = this.#received.toString('latin1', end + 4, end + 4 + size)
    this.#received = this.#received.subarray(Math.min(this.#received.length, end + 4 + size))
    return { status, headers, body, isClosed: headers.connection === 'close' }
  }

  close(): void {
    this.socket.destroy()
  }
}

/** Sends bytes on a new connection and reads the first answer. */
export async function exchangeRaw(port: number, bytes: string | Uint8Array): Promise<Answer> {
  const client = new RawClient(port)
  client.send(bytes)
  try {
    return await client.read()
  } finally {
    client.close()
  }
}

/** A whole request as bytes. */
export function post(
  path: string,
  type: string,
  body: string | Uint8Array,
  more: readonly string[] = [],
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
    ...more,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes])
}
