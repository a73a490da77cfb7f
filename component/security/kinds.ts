/** The rows of all types of security: what all that deal with security loop over. `schemes.ts` has what authenticates. */
import { apiKey } from './api-key/kind.ts'
import { basic } from './basic/kind.ts'
import { forwardAuth } from './forward-auth/kind.ts'
import { jwt } from './jwt/kind.ts'
import type { SecurityKind } from './kind.ts'
import { mtls } from './mtls/kind.ts'
import { oauth2 } from './oauth2/kind.ts'
import { oidc } from './oidc/kind.ts'
import { webhook } from './webhook/kind.ts'

const rows = [basic, apiKey, oauth2, oidc, forwardAuth, webhook, jwt, mtls] as const

/** The types of security (specification: Security object). */
export type SecurityType = (typeof rows)[number]['type']

/** A row of the table. */
export type KnownKind = SecurityKind & { readonly type: SecurityType }

/** In the order in which documents are told of them. */
export const securityKinds: readonly KnownKind[] = rows

const byType = new Map<unknown, KnownKind>(securityKinds.map((kind) => [kind.type, kind]))

/** The row of a type; undefined: there is no such type. */
export const kindOf = (type: unknown): KnownKind | undefined => byType.get(type)

/** Closes a path whose security object is broken: it takes tokens of the gateway. */
export const closed: KnownKind = oauth2

/** Whether the value is one of the types. */
export const isSecurityType = (value: unknown): value is SecurityType => byType.has(value)

/** One value for each type. */
export const forEachType = <T>(
  make: (type: SecurityType) => T,
): Readonly<Record<SecurityType, T>> =>
  Object.fromEntries(securityKinds.map(({ type }) => [type, make(type)])) as Record<SecurityType, T>
