/** Unified diffs of JSON values: what they show, and that applying one to the first text gives the second. */
import { expect } from 'chai'
import fc from 'fast-check'
import { unifiedDiff } from '#component/cli/folder/patch.ts'
import { pretty } from '#component/cli/format.ts'

const names = ['gateway/a', 'a.json'] as const

/** With keys in order, as a diff has them, none of which an object would put first. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(ordered)
  const entries = Object.entries(value).map(
    ([key, member]) => [`k${key}`, ordered(member)] as const,
  )
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Applies a diff as `patch` does, without tolerance. */
function apply(lines: readonly string[], diff: string): string[] {
  const result: string[] = []
  let at = 0
  for (const line of diff.split('\n').slice(2, -1)) {
    const start = /^@@ -(\d+),\d+ \+\d+,\d+ @@$/.exec(line)?.[1]
    if (start !== undefined) {
      result.push(...lines.slice(at, Number(start) - 1))
      at = Number(start) - 1
      continue
    }
    if (line[0] !== '+') expect(lines[at++]).to.equal(line.slice(1))
    if (line[0] !== '-') result.push(line.slice(1))
  }
  return [...result, ...lines.slice(at)]
}

describe('a unified diff of JSON values', () => {
  it('is empty for equal values, whatever the order of their keys', () => {
    expect(unifiedDiff({ a: 1, b: [2n] }, { b: [2n], a: 1 }, names)).to.equal('')
  })

  it('shows three lines around each change, and numbers its parts', () => {
    const from = Object.fromEntries([...'abcdefghijklmnop'].map((key) => [key, 1]))
    const to = { ...from, b: 2, o: [] }
    expect(unifiedDiff(from, to, names)).to.equal(`--- gateway/a
+++ a.json
@@ -1,6 +1,6 @@
 {
   "a": 1,
-  "b": 1,
+  "b": 2,
   "c": 1,
   "d": 1,
   "e": 1,
@@ -13,6 +13,6 @@
   "l": 1,
   "m": 1,
   "n": 1,
-  "o": 1,
+  "o": [],
   "p": 1
 }
`)
  })

  it('shows an item that was inserted as one line', () => {
    const added = (to: unknown) =>
      unifiedDiff(['a', 'b', 'c'], to, names)
        .split('\n')
        .slice(3)
        .filter((line) => /^[+-]/.test(line))
    expect(added(['x', 'a', 'b', 'c'])).to.deep.equal(['+  "x",'])
    expect(added(['a', 'x', 'b', 'c'])).to.deep.equal(['+  "x",'])
    expect(added(['a', 'b', 'c', 'x'])).to.deep.equal(['-  "c"', '+  "c",', '+  "x"'])
  })

  it('has the keys of versions in the order of the canonical text', () => {
    const added = unifiedDiff({}, { '9': {}, '10': 1 }, names).split('\n').slice(4, -1)
    expect(added).to.deep.equal(['+{', '+  "10": 1,', '+  "9": {}', '+}'])
  })

  it('leads from the first text to the second', () => {
    const value = fc.jsonValue({ maxDepth: 4, depthSize: 'medium' })
    fc.assert(
      fc.property(value, value, (from, to) => {
        const [one, other] = [
          { same: 1, from },
          { same: 1, from: to },
        ].map(ordered)
        const [first = [], second] = [one, other].map((each) => pretty(each).split('\n'))
        expect(apply(first, unifiedDiff(one, other, names))).to.deep.equal(second)
      }),
      { seed: 16, numRuns: 500 },
    )
  })
})
