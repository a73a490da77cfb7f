/** The place of a procedure in the routing table: no request reaches it, and documents that register the same clash there. */
import type { HostPattern } from '#component/syntax/host-pattern.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

/** How a router chooses among the callees of a registration (WAMP: Shared Registration). */
export const invocationPolicies = ['single', 'roundrobin', 'random', 'first', 'last'] as const
type InvocationPolicy = (typeof invocationPolicies)[number]

/** REGISTER, as a document declares it. */
export interface RegisteredProcedure {
  readonly uri: string
  readonly match: Match
  readonly invoke: InvocationPolicy
  /** The URIs that its actions call, as far as they are known at load; absent: none. */
  readonly calls?: readonly string[]
}

/** A label that no host has. */
const label = '\0procedures'

const host: HostPattern = { kind: 'hosts', forms: [[label]] }

/** The host and the form of a procedure: one for each URI and match of a realm. */
export function procedurePlace(
  realm_uri: string,
  { uri, match }: RegisteredProcedure,
): { readonly host: HostPattern; readonly forms: readonly KeyedForm[] } {
  const texts = [realm_uri, match, uri]
  const form = texts.map((text) => ({ kind: 'literal', text }) as const)
  return { host, forms: [{ key: `/${label}/${texts.join('/')}`, form }] }
}
