/** Numbers over time: what is kept of them, and what a chart draws. */

/** How long points are kept; milliseconds. */
const keptMs = 3_600_000

/**
 * One point a second: processes tell their numbers one after the other.
 * @template {{ readonly at: number }} T
 * @param {readonly T[]} points the oldest first
 * @param {T} point the newest
 */
export function withPoint(points, point) {
  const last = points.at(-1)
  const before = last && point.at - last.at < 1_000 ? points.slice(0, -1) : points
  return [...before.filter(({ at }) => at > point.at - keptMs), point]
}

/**
 * The highest point of each column: a chart has fewer columns than an hour has points, and a peak may not vanish.
 * @template {{ readonly at: number, readonly value: number }} T
 * @param {readonly T[]} points the oldest first
 * @param {(at: number) => number} columnOf whole numbers
 */
export function peaks(points, columnOf) {
  /** @type {Map<number, T>} */
  const highest = new Map()
  for (const point of points) {
    const column = columnOf(point.at)
    const known = highest.get(column)
    if (known === undefined || point.value > known.value) highest.set(column, point)
  }
  return [...highest.values()]
}
