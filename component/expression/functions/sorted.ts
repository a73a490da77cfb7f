/** The order of lists: numbers by value, texts by code points, what is missing at the end. */
import { type OfItem, spend } from '#component/expression/items.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Site } from '#component/expression/site.ts'
import { isNumber, kindOf } from '#component/expression/values.ts'

/** Characters that a comparison of texts looks at for one step. */
const charactersOfStep = 64

/** Less than 0: a comes before b in the order of code points. @param shared offset of the first character in which they differ */
function orderAt(a: string, b: string, shared: number): number {
  if (shared === a.length || shared === b.length) return a.length - b.length
  return (a.codePointAt(shared) as number) - (b.codePointAt(shared) as number)
}

/** Offset of the first character in which two texts differ, or the length of the shorter one. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

interface Keyed<T> {
  readonly item: unknown
  readonly key: T
}

/** The order of values that are all of one kind; fails for others. */
function orderOf(keyed: readonly Keyed<unknown>[], site: Site, context: Context) {
  const first = keyed[0]?.key
  const kind = typeof first === 'string' ? 'string' : 'number'
  for (const { key } of keyed) {
    if (kind === 'string' ? typeof key === 'string' : isNumber(key)) continue
    const problem =
      typeof key === 'string' || isNumber(key)
        ? `: ${kindOf(key)} cannot be compared with ${kindOf(first)}; all must be numbers, or all strings`
        : `: expected numbers or strings to sort by, got ${kindOf(key)}`
    site.fail(`sort${problem}`, problem)
  }
  if (kind === 'number') {
    return (a: Keyed<number>, b: Keyed<number>) => (a.key < b.key ? -1 : Number(a.key > b.key))
  }
  let looked = 0
  return (a: Keyed<string>, b: Keyed<string>) => {
    const shared = sharedLength(a.key, b.key)
    looked += shared
    if (looked > 1000 * charactersOfStep) {
      spend(1000, site, context)
      looked -= 1000 * charactersOfStep
    }
    return orderAt(a.key, b.key, shared)
  }
}

/** A stable order; items whose value is missing or null stand at the end in both directions, in their own order. */
export function sorted(
  list: readonly unknown[],
  of: OfItem,
  isDescending: boolean,
  site: Site,
  context: Context,
): readonly unknown[] {
  const keyed: Keyed<unknown>[] = []
  const rest: unknown[] = []
  for (const item of list) {
    const key = of(item)
    if (key === undefined || key === null) rest.push(item)
    else keyed.push({ item, key })
  }
  const order = orderOf(keyed, site, context) as (a: Keyed<unknown>, b: Keyed<unknown>) => number
  spend(keyed.length * Math.ceil(Math.log2(keyed.length + 1)), site, context)
  keyed.sort(isDescending ? (a, b) => order(b, a) : order)
  const made: unknown[] = []
  for (const { item } of keyed) made.push(item)
  for (const item of rest) made.push(item)
  return made
}
