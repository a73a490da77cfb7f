/** Two texts side by side: which lines of each the other lacks (Myers, "An O(ND) Difference Algorithm"). */

/**
 * A row: a line of each side, where it has one.
 * @typedef {{ left: string | undefined, right: string | undefined, isSame: boolean, leftLine: number, rightLine: number }} Row
 */

/** Beyond so many differing lines the rest is shown as replaced. */
const maxSteps = 1_000

/**
 * @param {string} left
 * @param {string} right
 * @returns {Row[]}
 */
export function sideBySide(left, right) {
  const a = left.split('\n')
  const b = right.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  const most = Math.min(a.length, b.length) - start
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const same = commonLines(a.slice(start, a.length - end), b.slice(start, b.length - end))
  /** @type {Row[]} */
  const rows = []
  let [i, j] = [0, 0]
  /** @param {number} toA @param {number} toB */
  const differ = (toA, toB) => {
    while (i < toA || j < toB) {
      const [one, other] = [i < toA ? a[i] : undefined, j < toB ? b[j] : undefined]
      rows.push({ left: one, right: other, isSame: false, leftLine: i + 1, rightLine: j + 1 })
      if (i < toA) i += 1
      if (j < toB) j += 1
    }
  }
  const agree = () => {
    rows.push({ left: a[i], right: b[j], isSame: true, leftLine: i + 1, rightLine: j + 1 })
    i += 1
    j += 1
  }
  while (i < start) agree()
  for (const [x, y] of same) {
    differ(start + x, start + y)
    agree()
  }
  differ(a.length - end, b.length - end)
  while (i < a.length && j < b.length) agree()
  return rows
}

/**
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 * @returns {[number, number][]} the pairs of equal lines
 */
function commonLines(a, b) {
  const [n, m] = [a.length, b.length]
  /** @type {Map<number, number>[]} */
  const trace = []
  let reached = new Map([[1, 0]])
  for (let d = 0; d <= Math.min(n + m, maxSteps); d++) {
    trace.push(reached)
    reached = new Map(reached)
    for (let k = -d; k <= d; k += 2) {
      const [down, over] = [reached.get(k + 1) ?? -1, reached.get(k - 1) ?? -1]
      let x = k === -d || (k !== d && over < down) ? down : over + 1
      while (x < n && x - k < m && a[x] === b[x - k]) x += 1
      reached.set(k, x)
      if (x >= n && x - k >= m) return walkBack(trace, n, m)
    }
  }
  return []
}

/** @param {readonly Map<number, number>[]} trace @param {number} n @param {number} m */
function walkBack(trace, n, m) {
  /** @type {[number, number][]} */
  const pairs = []
  let [x, y] = [n, m]
  for (let d = trace.length - 1; d >= 0; d--) {
    const reached = trace[d] ?? new Map()
    const k = x - y
    const isDown = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1))
    const before = isDown ? k + 1 : k - 1
    const fromX = d === 0 ? 0 : (reached.get(before) ?? 0)
    const fromY = d === 0 ? 0 : fromX - before
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      pairs.push([x, y])
    }
    ;[x, y] = [fromX, fromY]
  }
  return pairs.reverse()
}

/**
 * The rows that differ, each with some around it.
 * @param {readonly Row[]} rows
 * @param {number} around
 * @returns {(Row | { skipped: number })[]}
 */
export function withoutSame(rows, around) {
  const shown = new Set()
  for (const [index, row] of rows.entries()) {
    if (row.isSame) continue
    for (let at = index - around; at <= index + around; at++) shown.add(at)
  }
  /** @type {(Row | { skipped: number })[]} */
  const found = []
  for (const [index, row] of rows.entries()) {
    const last = found.at(-1)
    if (shown.has(index)) found.push(row)
    else if (last && 'skipped' in last) last.skipped += 1
    else found.push({ skipped: 1 })
  }
  return found
}
