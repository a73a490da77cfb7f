/** What the access log tells of a request: the members of its line `request`. */

import { SecretNames } from '#component/explain/redaction/secret-names.ts'
import { redacted } from '#component/syntax/redacted.ts'
import { decodeEscapes } from '#component/syntax/request-target.ts'
import { traceMembers } from '#component/telemetry/trace-members.ts'
import type { HttpExchange } from '#http/read-request.ts'

/** Characters of a path that the line has. */
const longestPath = 256

const names = new SecretNames()

/**
 * A path of no route, as received: without the values of names that hold secrets, such as `token=x` in a segment, and in a segment behind
 * such a name.
 */
function shownPath(path: string): string {
  let isHidden = false
  const segments = path
    .slice(0, longestPath)
    .split('/')
    .map((segment) => {
      const text = decodeEscapes(segment) ?? segment
      const isSecret = isHidden || names.valuesIn(text).length > 0
      isHidden = !text.includes('=') && names.has(text)
      return isSecret && text !== '' ? redacted : segment
    })
  return segments.join('/')
}

/**
 * The members of the line.
 * @param duration milliseconds
 * @param bytes that were written to the client; of HTTP/2 those of the body
 */
export function accessLine(
  exchange: HttpExchange,
  status: number,
  duration: number,
  bytes: number,
): Readonly<Record<string, unknown>> {
  const { id, method, route, tool, transport, via, stream, trace } = exchange
  const record = stream?.record
  // what each line has, at once: a key behind a spread costs as much as all of these
  const line: Record<string, unknown> = {
    request_id: id,
    method,
    route,
    status,
    error: exchange.error ?? record?.error,
    duration,
    bytes,
    peer: exchange.peername,
  }
  if (trace) Object.assign(line, traceMembers(trace))
  if (route === '') {
    line.host = exchange.host
    line.path = shownPath(exchange.path)
  }
  if (tool !== undefined) line.tool = tool
  if (via !== undefined) line.via = via
  if (transport.version === '2') line.protocol = 'HTTP/2'
  if (record) {
    line.events = record.events
    line.reason = record.reason
  }
  return line
}
