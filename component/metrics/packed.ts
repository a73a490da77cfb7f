/** Series as texts, which processes send each other and add up: each text is short, so that reading one is a short step. */
import type { Families } from './families.ts'
import type { Family } from './family.ts'
import type { Exemplar, LabelValue, Series } from './series.ts'

/** A series; seconds. */
type Row = readonly [
  api: string,
  version: string,
  subject: string,
  first: LabelValue,
  second: LabelValue,
  value: number,
  buckets?: readonly number[],
  exemplars?: readonly (Exemplar | null)[],
]

/** The series of one metric, or a part of them. */
type Packed = readonly [metric: string, rows: readonly Row[]]

/** At most this many rows are one text. */
const rowsPerText = 200

function rowOf({ subject, first, second, value, buckets, exemplars }: Series): Row {
  const { api, label } = subject.version
  const row = [api, label, subject.text, first, second, value] as const
  if (!buckets) return row
  return exemplars ? [...row, buckets, exemplars.map((one) => one ?? null)] : [...row, buckets]
}

/** The texts of a metric, made one after the other. */
export function* packed({ plan }: Family, all: readonly Series[]): Generator<string> {
  for (let start = 0; start < all.length; start += rowsPerText) {
    const rows = all.slice(start, start + rowsPerText).map(rowOf)
    yield JSON.stringify([plan.name, rows] satisfies Packed)
  }
}

/** Adds a text to the metrics of another process; a metric that it does not have is left out. */
export function addPacked(families: Families, text: string): void {
  const [metric, rows] = JSON.parse(text) as Packed
  const family = families.named(metric)
  if (!family) return
  for (const [api, label, subject, first, second, value, buckets, exemplars] of rows) {
    const series = family.at({ api, label }, subject, first, second)
    series.merge(value, buckets, exemplars)
  }
}
