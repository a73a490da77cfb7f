/** Numbers and times as people read them. */

/** @param {number} ms since the epoch */
export const clockTime = (ms) => new Date(ms).toLocaleTimeString('en-GB')

/** @param {number} ms since the epoch */
export function dateTime(ms) {
  const date = new Date(ms)
  const day = date.toLocaleDateString('en-CA')
  return `${day} ${date.toLocaleTimeString('en-GB')}`
}

/** @type {readonly (readonly [seconds: number, unit: string])[]} */
const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  const seconds = ms / 1000
  const [size, unit] = units.find(([each]) => seconds >= each) ?? [1, 's']
  const count = seconds / size
  return `${count < 10 && unit === 's' ? count.toFixed(1) : Math.floor(count)} ${unit}`
}

/** @param {number} ms since the epoch @param {number} now */
export const ago = (ms, now) => (now - ms < 1500 ? 'now' : `${duration(now - ms)} ago`)

/** @param {number} value */
export function count(value) {
  if (value === 0) return '0'
  if (value < 10) return value.toFixed(value < 0.1 ? 2 : 1).replace(/\.0$/, '')
  return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ')
}

/** @param {number} part 0 to 1 */
export const percent = (part) =>
  part === 0 ? '0 %' : part < 0.0001 ? '< 0.01 %' : `${(part * 100).toFixed(part < 0.1 ? 2 : 1)} %`

/** Who has done something: of requests without credentials the address says nothing. @param {string | null | undefined} by */
export const shortBy = (by) => by?.replace(/^local .*/, 'local') ?? '–'

/** @param {string | null | undefined} hash */
export const shortHash = (hash) => hash?.slice(0, 8) ?? '–'

/**
 * A quantile of durations in buckets; the position within a bucket is a guess.
 * @param {readonly number[]} buckets
 * @param {readonly number[]} bounds upper bounds, seconds
 * @param {number} part 0 to 1
 * @returns {number} milliseconds; NaN without any
 */
export function quantile(buckets, bounds, part) {
  const all = buckets.reduce((sum, each) => sum + each, 0)
  if (all === 0) return Number.NaN
  let left = all * part
  for (const [index, each] of buckets.entries()) {
    const low = bounds[index - 1] ?? 0
    const high = bounds[index] ?? low
    if (left <= each) return (low + (high - low) * (each === 0 ? 1 : left / each)) * 1000
    left -= each
  }
  return (bounds.at(-1) ?? 0) * 1000
}

/** @param {number} ms NaN: nothing was measured */
export const measured = (ms) => (Number.isNaN(ms) ? '–' : duration(ms))
