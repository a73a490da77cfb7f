/** Limits on the size of values that expressions build: in one evaluation, and in the load of a whole document. */
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Site } from './site.ts'

/** At most this many characters (or bytes) in one evaluation: 32 MiB. */
export const outputLimit = 32 * 1024 * 1024

/** At most this many in all evaluations of the load of one document. */
const loadLimit = 8 * outputLimit

/** At most this many levels of maps and lists in a value. */
export const depthLimit = 512

/** The cost of a map entry or a list item beside its content. */
export const entryCost = 8

/** The cost of a member of a partly known map. */
export const nodeCost = 64

/** Evaluations are synchronous, so one counter serves them all. */
let left = outputLimit

/** Starts counting for a new evaluation. */
export function beginEvaluation(): void {
  left = outputLimit
}

/** Takes from the budget of the running evaluation, before anything is built. */
export function charge(amount: number, site: Site): void {
  left -= amount
  if (left < 0) site.refuse('the result is larger than 32 MiB')
}

/** The size of a value as a tree: a shared part counts each time it is referred to. Infinity: too large or too deep. */
export function treeSize(value: unknown, limit = outputLimit, depth = 0): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return entryCost
  if (depth > depthLimit) return Number.POSITIVE_INFINITY
  let size = entryCost
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + treeSize(item, limit - size, depth + 1)
      if (size > limit) return Number.POSITIVE_INFINITY
    }
  } else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      size += key.length + 4 + treeSize(value[key], limit - size, depth + 1)
      if (size > limit) return Number.POSITIVE_INFINITY
    }
  } else if (ArrayBuffer.isView(value)) {
    // as text of a NUL and base64
    size += 8 + Math.ceil(value.byteLength / 3) * 4
  }
  return size
}

/** Size and depth of a value that never changes. */
interface Weight {
  readonly size: number
  readonly depth: number
}

const weights = new WeakMap<object, Weight>()

/** Size as a tree, and depth, of a constant; remembered, so that shared parts are walked once. */
export function weigh(value: unknown): Weight {
  if (typeof value === 'string') return { size: value.length + 2, depth: 0 }
  if (typeof value !== 'object' || value === null) return { size: entryCost, depth: 0 }
  const known = weights.get(value)
  if (known) return known
  let size = entryCost
  let depth = 0
  for (const [key, member] of Object.entries(value)) {
    const weight = weigh(member)
    size += key.length + 4 + weight.size
    depth = Math.max(depth, weight.depth + 1)
  }
  const weight = { size, depth }
  weights.set(value, weight)
  return weight
}

/** The cost of the load of one document so far, and the issues that it has reported. */
interface Ledger {
  spent: number
  readonly seen: Set<string>
}

/** By the list of issues: each load has one. */
const ledgers = new WeakMap<Issue[], Ledger>()

function ledgerOf(issues: Issue[]): Ledger {
  let ledger = ledgers.get(issues)
  if (!ledger) {
    ledger = { spent: 0, seen: new Set() }
    ledgers.set(issues, ledger)
  }
  return ledger
}

/** Adds an issue, unless the same one is there already (a variable is compiled once in each scope that sees it). */
export function report(issues: Issue[], path: string, message: string): void {
  const { seen } = ledgerOf(issues)
  const mark = `${path}\n${message}`
  if (seen.has(mark)) return
  seen.add(mark)
  issues.push({ path, message })
}

/** Refuses further folding when the load has spent its budget. */
export function admitLoad(issues: Issue[], site: Site): void {
  if (ledgerOf(issues).spent > loadLimit) {
    site.fail('the expressions of the document yield more than 256 MiB')
  }
}

/** Ends a folding evaluation: the load is charged with its cost. */
export function chargeLoad(issues: Issue[], site: Site): void {
  ledgerOf(issues).spent += outputLimit - left
  left = outputLimit
  admitLoad(issues, site)
}
