/** A realm's settings of the issuers whose access tokens it accepts: `info.jwt_issuers`, read with defaults. */
import type { ClaimPath } from '#component/realm/documents/info/claim-path.ts'
import { issuer, issuerDefaults } from '#component/realm/documents/info/issuer-rules.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import { issuerMethod } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import { Report } from '#component/spec/report.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

/** A value that a claim must have. */
type ClaimValue = string | number | boolean

/** Where the keys of an issuer are. */
export interface KeySite {
  /** URL, as the claim `iss` has it. */
  readonly issuer: string
  /** undefined: as the metadata of the issuer say. */
  readonly jwks_uri: string | undefined
  /** Whether it may be reached by http, and at private addresses. */
  readonly allow_unsafe_http: boolean
}

/** One issuer of a realm. */
export interface IssuerSettings extends KeySite {
  /** Its key in `jwt_issuers`. */
  readonly name: string
  readonly audience: readonly string[]
  readonly algorithms: readonly string[]
  /** In lower case, without `application/`. */
  readonly typ: readonly string[]
  readonly authid_claim: ClaimPath
  readonly role_claim: ClaimPath
  readonly role_mapping: Readonly<Record<string, readonly string[]>>
  /** undefined: `scope`, else `scp`. */
  readonly scope_claim: ClaimPath | undefined
  readonly required_claims: readonly (readonly [claim: string, values: readonly ClaimValue[]])[]
  readonly max_lifetime_secs: number
  readonly clock_tolerance_secs: number
}

/** A type as it is compared: RFC 7515 §4.1.9. */
export const plainType = (typ: string): string => typ.toLowerCase().replace(/^application\//, '')

/** The settings; undefined where the rules of a realm document refuse them: a node of another version may have accepted them. */
function read(name: string, entry: unknown): IssuerSettings | undefined {
  const report = new Report([], 'hidden')
  issuer(entry, '', report)
  if (report.issues.length > 0) return undefined
  // the rules have judged the types
  const given = { ...issuerDefaults, ...(entry as JsonMap) } as unknown as Omit<
    IssuerSettings,
    'role_mapping' | 'required_claims'
  > & { readonly role_mapping?: JsonMap; readonly required_claims?: JsonMap }
  const { role_mapping = {}, required_claims = {} } = given
  return {
    ...given,
    name,
    jwks_uri: given.jwks_uri ?? undefined,
    allow_unsafe_http: given.allow_unsafe_http ?? false,
    typ: given.typ.map(plainType),
    role_mapping: Object.fromEntries(
      Object.entries(role_mapping).map(([role, roles]) => [role, [roles].flat() as string[]]),
    ),
    required_claims: Object.entries(required_claims).map(([claim, values]) => [
      claim,
      [values].flat() as ClaimValue[],
    ]),
  }
}

const none: ReadonlyMap<string, IssuerSettings> = new Map()

/** Of each realm as it is now: every request of its users asks. */
const known = new WeakMap<Realm, ReadonlyMap<string, IssuerSettings>>()

/** The issuers of a realm by name; none where it does not serve `jwt`, or there is no such realm. */
export function issuersOf(realm: Realm | undefined): ReadonlyMap<string, IssuerSettings> {
  if (!realm || realm.isPrototype) return none
  let found = known.get(realm)
  if (found === undefined) {
    const { jwt_issuers } = realm.info
    const isServed = realm.authmethods.includes(issuerMethod) && isMap(jwt_issuers)
    const all = Object.entries(isServed ? jwt_issuers : {}).map(([name, entry]) =>
      read(name, entry),
    )
    found = new Map(all.flatMap((one) => (one ? [[one.name, one]] : [])))
    known.set(realm, found)
  }
  return found
}

/** Why users of an issuer cannot pass in a realm: a warning for a document that names it; undefined if they can. */
export function issuerProblem(
  realms: Pick<Realms, 'realm'>,
  realm_uri: string,
  name: string,
): string | undefined {
  const realm = realms.realm(realm_uri)
  if (issuersOf(realm).has(name)) return undefined
  const why = realm?.authmethods.includes(issuerMethod)
    ? `the realm has no info.jwt_issuers.${name}`
    : 'the realm has no jwt among its authmethods'
  return `no token of the issuer ${name} is accepted in ${realm_uri}: ${why}`
}
