/** The patterns of a route entry, parsed, and an entry with other routes. */

import { type HostPattern, labelsKey, parseHostPattern } from '#component/syntax/host-pattern.ts'
import { type KeyedForm, keyedForms, parsePathPattern } from '#component/syntax/path-pattern.ts'
import { remembered } from '#component/syntax/remembered.ts'
import { deliveryPlace } from './delivery-place.ts'
import { procedurePlace } from './procedure-place.ts'
import type { RouteEntry } from './routing-table.ts'

/** The parsed patterns of an entry. */
interface Reading {
  /** Undefined for a broken pattern. */
  readonly host: HostPattern | undefined
  /** Empty for a broken pattern. */
  readonly forms: readonly KeyedForm[]
}

/** Every change builds a new table of all entries: those that have not changed are not parsed again. */
const readings = new WeakMap<RouteEntry<unknown>, Reading>()

/** Parses the patterns of an entry: once, unless it is of an indexed API, of which little is to be kept. */
export function readEntry<R>(entry: RouteEntry<R>): Reading {
  const known = readings.get(entry)
  if (known) return known
  const reading = placeOf(entry) ?? { host: readHost(entry.host), forms: formsOf(entry) }
  if (entry.indexed === undefined) readings.set(entry, reading)
  return reading
}

/** The place of what no request reaches; undefined: it is a path. */
const placeOf = ({
  api,
  realm_uri,
  procedure,
  delivery,
}: RouteEntry<unknown>): Reading | undefined =>
  (procedure && procedurePlace(realm_uri, procedure)) ?? (delivery && deliveryPlace(api, delivery))

/** All paths of a document have one host. */
const readHost = remembered((text): HostPattern | undefined => {
  const parsed = parseHostPattern(text)
  return 'problem' in parsed ? undefined : parsed
})

/** A load reads the patterns of its document several times. */
const readForms = remembered((pattern): readonly KeyedForm[] => {
  const path = parsePathPattern(pattern)
  return 'problem' in path ? [] : keyedForms(path)
})

/** The forms of its path pattern; empty for a broken one. */
export const formsOf = (entry: RouteEntry<unknown>): readonly KeyedForm[] =>
  placeOf(entry)?.forms ?? entry.forms ?? readForms(entry.pattern)

/** What an entry claims: a text for each form of its path on each form of its host. Entries that claim the same clash, or share it. */
export function claimsOf<R>(entry: RouteEntry<R>): string[] {
  const { host, forms } = readEntry(entry)
  if (host === undefined) return []
  const hosts = host.kind === 'any' ? ['_'] : host.forms.map(labelsKey)
  return hosts.flatMap((labels) => forms.map(({ key }) => labels + key))
}

/** The entry with these routes, which are there. */
export function withRoutes<R>(
  { api, realm_uri, host, pattern, forms, path, keepsSlashes, procedure, delivery }: RouteEntry<R>,
  routes: RouteEntry<R>['routes'],
): RouteEntry<R> {
  const reading = { ...(forms && { forms }), ...(keepsSlashes && { keepsSlashes }) }
  const kept = { ...reading, ...(procedure && { procedure }), ...(delivery && { delivery }) }
  return { api, realm_uri, host, pattern, ...kept, path, routes }
}
