/** Request ids: those of trusted proxies, else UUIDv7 (RFC 9562 §5.7), which sort by time. */
import { randomUUID } from 'node:crypto'

/** A token that can stand in a log line, a header and a URL as it is. */
const safe = /^[\w.:=-]{1,128}$/

/** Whether an id that a proxy has given a request can be kept. */
export const isRequestId = (text: string | undefined): text is string =>
  text !== undefined && safe.test(text)

let lastTime = Number.NaN
/** The bits of all ids of {@link lastTime} before and behind their counter. */
let head = ''
let tail = ''
let count = 0

/** Ids of one millisecond: as many as its counter has values. */
const maxCount = 0x1000

/**
 * A UUID whose first 48 bits are the time; 12 bits count the ids of a millisecond, which share 62 random bits (RFC 9562 §6.2, method
 * 1). `randomUUIDv7` of node:crypto needs Node 26.1, and the `uuid` package costs a request more than this (docs/design/performance.md,
 * "What was tried").
 * @param now milliseconds since the epoch
 */
export function requestId(now: number): string {
  if (now !== lastTime || count === maxCount) {
    const time = now.toString(16).padStart(12, '0')
    head = `${time.slice(0, 8)}-${time.slice(8)}-7`
    tail = randomUUID().slice(18)
    lastTime = now
    count = 0
  }
  const counter = count.toString(16).padStart(3, '0')
  count += 1
  return head + counter + tail
}
