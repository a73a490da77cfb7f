/** The line of the log that each request costs: made as text, without an object in between (2 µs instead of pino's 18). */
import type { LineSink } from '#component/log.ts'

/** What a request came to; absent keys are left out. */
export interface Access {
  readonly id: string
  readonly method?: string
  /** The pattern of its route. */
  readonly route?: string
  readonly status: number
  /** The URI of the error that was told. */
  readonly error?: string | undefined
  /** Milliseconds. */
  readonly duration: number
  /** Of the answer, head and body. */
  readonly bytes?: number
  /** `ip:port` of the client. */
  readonly peer: string
  readonly message: string
}

/** Lines of one millisecond begin alike. */
let lastTime = Number.NaN
let beginning = ''

/**
 * Writes the line, in the shape of the log's other lines.
 * @param now milliseconds since the epoch
 */
export function logAccess(write: LineSink, now: number, access: Access): void {
  if (now !== lastTime) {
    beginning = `{"level":"info","time":"${new Date(now).toISOString()}","request_id":"`
    lastTime = now
  }
  const { id, method, route, status, error, duration, bytes, peer, message } = access
  let line = `${beginning}${id}"`
  // these two are ours: a method that is served, a number
  if (method !== undefined) line += `,"method":"${method}"`
  if (route !== undefined) line += `,"route":${JSON.stringify(route)}`
  line += `,"status":${status}`
  if (error !== undefined) line += `,"error":${JSON.stringify(error)}`
  line += `,"duration":${duration}`
  if (bytes !== undefined) line += `,"bytes":${bytes}`
  write(`${line},"peer":${JSON.stringify(peer)},"msg":"${message}"}\n`)
}
