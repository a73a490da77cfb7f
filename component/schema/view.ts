/** A value as schemas see it: what JSON would carry of it, with every digit of its integers. */
import { encodeBinary } from '#component/codec/json.ts'
import { mapLeaves } from '#component/codec/walk.ts'

/** The same value where it holds no bytes and nothing undefined; else a copy that has texts and null instead. */
export const viewOf = (value: unknown): unknown => mapLeaves(value, leafOf)

function leafOf(value: unknown): unknown {
  if (value === undefined) return null
  return value instanceof Uint8Array ? encodeBinary(value) : value
}

/** Whether a value has at most this many members and items, at all levels. */
export function hasAtMost(most: number, value: unknown): boolean {
  let left = most
  const count = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true
    const parts = Object.values(part)
    left -= parts.length
    return left >= 0 && parts.every(count)
  }
  return count(value)
}
