/** The place of a delivery in the routing table: no request reaches it, and no other document has it. */
import type { HostPattern } from '#component/syntax/host-pattern.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'

/** A delivery of a document, as the routing table knows it. */
export interface DeclaredDelivery {
  readonly name: string
}

/** A label that no host has. */
const label = '\0deliveries'

const host: HostPattern = { kind: 'hosts', forms: [[label]] }

/** The host and the form of a delivery: one for each document and name. */
export function deliveryPlace(
  api: string,
  { name }: DeclaredDelivery,
): { readonly host: HostPattern; readonly forms: readonly KeyedForm[] } {
  const texts = [api, name]
  const form = texts.map((text) => ({ kind: 'literal', text }) as const)
  return { host, forms: [{ key: `/${label}/${texts.join('/')}`, form }] }
}
