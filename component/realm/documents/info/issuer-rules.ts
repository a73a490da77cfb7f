/** The keys of an issuer of access tokens in `info.jwt_issuers`, and what loading a realm document checks of them. */
import { pointer } from '#component/codec/json.ts'
import { name, oneOrMore, orNull } from '#component/realm/documents/field-rules.ts'
import {
  boolean,
  described,
  integer,
  type JsonSchema,
  listOf,
  mapOf,
  must,
  object,
  oneOf,
  type Rule,
  rule,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { isPlainUrl, isWebUrl } from '#component/syntax/web-url.ts'
import { claimPath } from './claim-path.ts'

/** The signatures that tokens may have: those of public keys (RFC 7518 §3.1, RFC 8037, RFC 9864). */
const issuerAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const

/** What holds for an issuer that does not say otherwise. */
export const issuerDefaults = {
  algorithms: ['RS256', 'ES256', 'EdDSA'],
  typ: ['at+jwt', 'JWT'],
  authid_claim: 'sub',
  role_claim: 'scope',
  max_lifetime_secs: 86_400,
  clock_tolerance_secs: 30,
} as const

/** The longest lifetime that can be allowed: a token cannot be taken back. Seconds. */
const mostLifetime = 2_592_000

const claimValue = must(
  'a text, a number, true or false',
  (value) => ['string', 'number', 'boolean'].includes(typeof value),
  { type: ['string', 'number', 'boolean'] },
)

const url = must('an absolute URL of http or https', isWebUrl, { type: 'string' })
const issuerUrl = must('an absolute URL of http or https without a query', isPlainUrl, {
  type: 'string',
})

const keys = {
  issuer: described(
    issuerUrl,
    'The issuer: the claim `iss` of its tokens, exactly, with or without a slash at the end.',
    { examples: ['https://id.example.com/realms/shop'] },
  ),
  jwks_uri: described(
    orNull(url),
    'Where the keys of the issuer are (a JWK Set, RFC 7517). `null` or absent: as the metadata of the issuer say, which are looked for at `<issuer>/.well-known/openid-configuration` and where RFC 8414 has them.',
    { default: null, examples: ['https://id.example.com/realms/shop/certs'] },
  ),
  audience: described(
    listOf(name, 'a list of at least one audience'),
    'A token must be meant for one of these: the claim `aud`. Name the API, not a client: else ID tokens of the client pass, too.',
    { examples: [['orders']] },
  ),
  algorithms: described(
    listOf(oneOf(issuerAlgorithms), 'a list of at least one algorithm'),
    `The signatures that are accepted: some of ${issuerAlgorithms.join(', ')}.`,
    { default: issuerDefaults.algorithms, examples: [['RS256']] },
  ),
  typ: described(
    listOf(name, 'a list of at least one type'),
    'The types of token that are accepted: the `typ` of the header, in any case, with or without `application/`. A header without `typ` counts as `JWT`.',
    { default: issuerDefaults.typ, examples: [['at+jwt']] },
  ),
  authid_claim: described(
    claimPath,
    'The claim that names the user, whose authid is `<name of the issuer>|<claim>`, or a [path](oidc.md#paths-of-claims) to it. `email` needs `email_verified` beside it.',
    { default: issuerDefaults.authid_claim, examples: ['oid'] },
  ),
  role_claim: described(
    claimPath,
    'The claim that holds the roles: a list, a text with blanks between them, or a map whose keys are the roles; or a [path](oidc.md#paths-of-claims) to it.',
    { default: issuerDefaults.role_claim, examples: ['realm_access.roles'] },
  ),
  role_mapping: described(
    mapOf(oneOrMore(name), 'a map of roles, or of lists of roles'),
    'A role of the issuer to one or more of the realm. A role that it does not name is the role `<name of the issuer>|<role>`. `spec_loader` and `spec_reader` come by a mapping only.',
    { default: {}, examples: [{ 'orders:write': 'staff' }] },
  ),
  scope_claim: described(
    claimPath,
    'The claim that holds what `scopes` of a security object asks for, read like `role_claim`. Default: `scope`, and `scp` where that is absent.',
    { examples: ['permissions'] },
  ),
  required_claims: described(
    mapOf(oneOrMore(claimValue), 'a map of claims to values, or to lists of values'),
    'Claims that a token must have: the claim equals the value, or is a list that holds it. Of a list of values one suffices. [Paths](oidc.md#paths-of-claims) as texts walk maps.',
    { default: {}, examples: [{ tid: '5f0a1c2e-0000-4000-8000-000000000000' }] },
  ),
  max_lifetime_secs: described(
    integer(1, mostLifetime, ' of seconds'),
    'How long a token may live, from `iat` (or now, where it has none) to `exp`. Seconds.',
    { default: issuerDefaults.max_lifetime_secs, examples: [3_600] },
  ),
  clock_tolerance_secs: described(
    integer(0, 300, ' of seconds'),
    'How far the clock of the issuer may differ. Seconds.',
    { default: issuerDefaults.clock_tolerance_secs, examples: [5] },
  ),
  allow_unsafe_http: described(
    boolean,
    "For tests: http, and keys at private addresses off the issuer's origin. `jwks_uri`, and what is at the origin of an https issuer, may be at a private address without it, because the realm document names them.",
    { default: false, examples: [true] },
  ),
} as const satisfies Readonly<Record<string, Rule>>

const shape = object('an issuer', {
  keys,
  required: { issuer: 'the URL of the issuer', audience: 'a list of at least one audience' },
})

const isInsecure = (value: unknown): boolean =>
  typeof value === 'string' && URL.parse(value)?.protocol === 'http:'

/** One issuer. */
export const issuer: Rule = described(
  rule(shape.schema, (value, path, report) => {
    shape(value, path, report)
    if (!isMap(value) || value.allow_unsafe_http === true) return
    for (const key of ['issuer', 'jwks_uri'] as const) {
      if (!isInsecure(value[key])) continue
      report.issue(pointer(path, key), 'expected https, or allow_unsafe_http: true')
    }
  }),
  'An issuer of access tokens (JWTs) that paths under `jwt` and WAMP clients may bring, under `info.jwt_issuers.<name>`. See [tokens of other issuers](jwt.md#tokens-of-other-issuers-jwt).',
  { title: 'Issuer' },
)

/** The names of issuers begin the authids of their users, up to a `|`. */
const issuerName = /^[\w.-]{1,64}$/

const namesSchema: JsonSchema = { pattern: issuerName.source }

/** `info.jwt_issuers`. */
export const issuers: Rule = rule(
  { type: 'object', propertyNames: namesSchema, additionalProperties: issuer.schema },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of issuers', value)
    for (const [name, entry] of Object.entries(value)) {
      const at = pointer(path, name)
      if (issuerName.test(name)) issuer(entry, at, report)
      else report.issue(at, 'expected a name of 1 to 64 letters, digits, and . _ -')
    }
  },
)

/** What stands between the name of an issuer and the claim in the authid of its users, and before the roles that it gives them. */
const separator = '|'

/** A name or a role that an issuer gives, as the realm knows it: no claim makes anybody a user or a role of another origin. */
export const nameAt = (issuer: string, claim: string): string => issuer + separator + claim

/** The issuer in `info` of a realm to whose users a name is reserved; undefined for other names. */
export function issuerOfName(info: unknown, authid: string): string | undefined {
  const at = authid.indexOf(separator)
  if (at < 0 || !isMap(info) || !isMap(info.jwt_issuers)) return undefined
  const issuer = authid.slice(0, at)
  return Object.hasOwn(info.jwt_issuers, issuer) ? issuer : undefined
}
