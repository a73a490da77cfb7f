/** Request ids: UUIDv7 (RFC 9562 §5.7), which sort by time. */
import { randomFillSync } from 'node:crypto'

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Random bytes are drawn in bulk: one call to the system for 400 ids. */
const pool = Buffer.alloc(4000)
let used = pool.length

/** @param now milliseconds since the epoch */
export function requestId(now: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const at = used
  used += 10
  const byte = (offset: number) => pool[at + offset] ?? 0
  const time = now.toString(16).padStart(12, '0')
  const version = hex[0x70 | (byte(0) & 0x0f)]
  const variant = hex[0x80 | (byte(2) & 0x3f)]
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex[byte(1)]}-${variant}${hex[byte(3)]}-${hex[byte(4)]}${hex[byte(5)]}${hex[byte(6)]}${hex[byte(7)]}${hex[byte(8)]}${hex[byte(9)]}`
}
