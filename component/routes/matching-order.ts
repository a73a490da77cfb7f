/** The order in which routes are matched, by their longest form: host from its last label on, then path. */
import type { Label } from '#component/syntax/host-pattern.ts'
import { type Segment, segmentKey } from '#component/syntax/path-pattern.ts'
import { readEntry } from './entry-patterns.ts'
import type { RouteEntry } from './routing-table.ts'

/** A length in digits of equal number, the greatest first. */
const byLength = (length: number): string => String(999_999 - length).padStart(6, '0')

/** Literals first, by their text; then text with bindings, then bindings and one-label wildcards; the rest last. */
function orderKey(segment: Segment): string {
  if (segment.kind === 'literal') return `0${segment.text}`
  if (segment.kind === 'binding') return '2'
  if (segment.kind === 'rest') return '3'
  const { texts } = segment
  const lengths = [texts[0], texts.at(-1), texts.join('')]
  return `1${lengths.map((text = '') => byLength(text.length)).join('')}${segmentKey(segment)}`
}
const labelKey = (label: Label): string => (label === undefined ? '2' : `0${label}`)

/** The place of an entry in the order: of its host, then of its path. */
export interface MatchingOrder {
  readonly host: readonly string[]
  readonly path: readonly string[]
}

/** The place of an entry in the order. */
export function matchingOrderOf(entry: RouteEntry<unknown>): MatchingOrder {
  const { host, forms } = readEntry(entry)
  const labels = host?.kind === 'hosts' ? (host.forms[0] ?? []) : undefined
  return {
    host: labels ? labels.toReversed().map(labelKey) : ['3'],
    path: forms[0]?.form.map(orderKey) ?? [],
  }
}

/** Less than 0 where the first is matched before the other. */
export const compareOrders = (one: MatchingOrder, other: MatchingOrder): number =>
  compareLists(one.host, other.host) || compareLists(one.path, other.path)

/** Less than 0 where the host of the first is matched before that of the other. */
export const compareHosts = (one: MatchingOrder, other: MatchingOrder): number =>
  compareLists(one.host, other.host)

function compareLists(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, i) => text !== other[i])
  const [a, b] = [one[at], other[at]]
  if (a === undefined || b === undefined) return one.length - other.length
  return a < b ? -1 : 1
}
