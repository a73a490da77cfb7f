/** Asks a proxy for a tunnel to a host (RFC 9110 §9.3.6). */
import type { Socket } from 'node:net'
import { ServiceError } from '#component/errors.ts'
import { maxHeadBytes } from './answer-heads.ts'
import { unauthenticated } from './egress.ts'

const failed = (why: string): ServiceError =>
  new ServiceError('service.error.bad_gateway', `the proxy opened no tunnel: ${why}`)

/** Why the beginning of an answer opens no tunnel; undefined: it does, or more of it is to come. */
function problemOf(received: Buffer, end: number): string | undefined {
  if (end < 0) return received.length > maxHeadBytes ? 'its response is too long' : undefined
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(received.toString('latin1', 0, 32)) ?? []
  if (status === undefined) return 'its response is not HTTP'
  if (status === '407') return unauthenticated
  if (!status.startsWith('2')) return `it returned ${status}`
  // a server of TLS speaks after its client
  return received.length > end + 4 ? 'it sent more than its response' : undefined
}

/** What a proxy is asked for. */
interface AskedTunnel {
  /** `host:port` */
  readonly authority: string
  /** `Proxy-Authorization`; undefined: none. */
  readonly authorization: string | undefined
}

/**
 * @param next is called once, with why there is no tunnel; the socket is then to be destroyed
 */
export function askTunnel(
  socket: Socket,
  { authority, authorization }: AskedTunnel,
  next: (error: Error | undefined) => void,
): void {
  let received = Buffer.alloc(0)
  const done = (problem: string | undefined): void => {
    socket.off('data', onData).off('close', onClose)
    socket.pause()
    next(problem === undefined ? undefined : failed(problem))
  }
  const onClose = (): void => done('it has closed the connection')
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf('\r\n\r\n')
    const problem = problemOf(received, end)
    if (problem !== undefined || end >= 0) done(problem)
  }
  socket.on('data', onData).on('close', onClose)
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
}
