/** Counts the bytes of bodies by what they are read as. */
import type { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import type { Series } from '#component/metrics/series.ts'
import { type BodyForm, essenceOf, formOf, unknownType } from '#component/syntax/media-type.ts'

/** What a body is read as; `stream`: it is passed on as it arrives, to a procedure or an upstream. */
type Kind = BodyForm | 'stream'

/** Counts. One for each process. */
export interface BodyBytes {
  /** A body that is in memory. @param type its Content-Type */
  read(type: string | undefined, bytes: number): void
  /** Some bytes of a body that is passed on. */
  passed(bytes: number): void
}

/** Makes the metric. */
export function bodyBytes(families: Families): BodyBytes {
  const family = new Family(
    {
      name: 'gateway_body_bytes_total',
      help: 'Bytes of the bodies of requests, by what they are read as: data, form, multipart, text, bytes, stream.',
      labels: ['kind'],
      isOfNode: true,
    },
    families,
  )
  // the series of a node do not end, and each body is counted
  const series: Partial<Record<Kind, Series>> = {}
  const add = (kind: Kind, bytes: number) => {
    series[kind] ??= family.with(kind)
    series[kind].add(bytes)
  }
  return {
    read: (type = unknownType, bytes) => add(formOf(essenceOf(type)), bytes),
    passed: (bytes) => add('stream', bytes),
  }
}
