/** Values that serializers of WAMP have and JSON lacks, and what is read in their place (docs/router.md, "Values"). */
import { Buffer } from 'node:buffer'
import { asBuffer } from './as-buffer.ts'
import { encodeBinary, stringifyJson } from './json.ts'
import { maxDigits } from './limits.ts'

/** Seconds since the epoch of the first and the last second that RFC 3339 can write: years have four digits. */
const firstSecond = Date.parse('0000-01-01T00:00:00Z') / 1000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

const secondsPerDay = 86_400

/**
 * A time as RFC 3339 text in UTC; undefined where it has none.
 * @param seconds since the epoch, an integer
 */
function timeText(seconds: number, nanoseconds: number): string | undefined {
  if (!(seconds >= firstSecond && seconds <= lastSecond)) return undefined
  if (nanoseconds >= 1e9) return undefined
  const time = new Date(seconds * 1000).toISOString().slice(0, 19)
  const fraction = String(nanoseconds).padStart(9, '0').replace(/0+$/, '')
  return fraction === '' ? `${time}Z` : `${time}.${fraction}Z`
}

/** The same of seconds with a fraction, to the microsecond: a double has no more digits. */
export function timeOfSeconds(value: number): string | undefined {
  const microseconds = Math.round(value * 1e6)
  const seconds = Math.floor(microseconds / 1e6)
  return timeText(seconds, (microseconds - seconds * 1e6) * 1000)
}

/** A date (RFC 8943); undefined where RFC 3339 has none. @param days since the epoch */
export const dateText = (days: number): string | undefined =>
  timeText(Math.floor(days) * secondsPerDay, 0)?.slice(0, 10)

/** A timestamp of MessagePack, in 32, 64 or 96 bits; undefined where it is none. */
export function timestampText(data: Uint8Array): string | undefined {
  const bytes = asBuffer(data)
  switch (bytes.length) {
    case 4:
      return timeText(bytes.readUInt32BE(0), 0)
    case 8: {
      const high = bytes.readUInt32BE(0)
      return timeText((high & 3) * 2 ** 32 + bytes.readUInt32BE(4), high >>> 2)
    }
    case 12:
      return timeText(Number(bytes.readBigInt64BE(4)), bytes.readUInt32BE(0))
    default:
      return undefined
  }
}

/** A UUID (RFC 9562 §4); undefined for other than 16 bytes. */
export function uuidText(data: Uint8Array): string | undefined {
  if (data.length !== 16) return undefined
  const hex = Buffer.from(data).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** No integer of more bytes has as few digits. */
export const maxIntegerBytes = Math.ceil((maxDigits * Math.log2(10)) / 8)

/** A key that is not text: the text that JSON has for it, bytes as {@link encodeBinary} writes them. */
export const keyText = (key: unknown): string =>
  key instanceof Uint8Array ? encodeBinary(key) : stringifyJson(key)
