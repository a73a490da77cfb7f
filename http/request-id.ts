/** Request ids: those of trusted proxies, else UUIDv7 (RFC 9562 §5.7), which sort by time. */
import { randomUUID } from 'node:crypto'

/** A token that can stand in a log line, a header and a URL as it is. */
const safe = /^[\w.:=-]{1,128}$/

/** Whether an id that a proxy has given a request can be kept. */
export const isRequestId = (text: string | undefined): text is string =>
  text !== undefined && safe.test(text)

let lastTime = Number.NaN
/** The first 48 bits of all ids of {@link lastTime}. */
let prefix = ''

/**
 * A UUIDv4 whose first 48 bits become the time: `randomUUIDv7` of node:crypto needs Node 26.1, and the `uuid` package costs a
 * request more than this (docs/performance.md, "What was tried").
 * @param now milliseconds since the epoch
 */
export function requestId(now: number): string {
  if (now !== lastTime) {
    const time = now.toString(16).padStart(12, '0')
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
    lastTime = now
  }
  return prefix + randomUUID().slice(15)
}
