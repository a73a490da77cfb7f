/** Sets of Unicode characters, as a class of a regular expression names them. */

/** Ranges of code points: ascending, apart from each other, both ends within. */
export type CharSet = readonly (readonly [first: number, last: number])[]

const lastCharacter = 0x10ffff

/** Every character. */
export const everyCharacter: CharSet = [[0, lastCharacter]]

/** The characters of some ranges, in any order. */
export function setOf(ranges: CharSet): CharSet {
  const found: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = found.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else found.push([first, last])
  }
  return found
}

/** All other characters. */
export function complementOf(set: CharSet): CharSet {
  const found: [number, number][] = []
  let next = 0
  for (const [first, last] of set) {
    if (first > next) found.push([next, first - 1])
    next = last + 1
  }
  if (next <= lastCharacter) found.push([next, lastCharacter])
  return found
}

/** Whether two sets share a character. */
export function overlap(a: CharSet, b: CharSet): boolean {
  let index = 0
  for (const [first, last] of a) {
    while (index < b.length && (b[index]?.[1] ?? 0) < first) index++
    if ((b[index]?.[0] ?? Infinity) <= last) return true
  }
  return false
}
