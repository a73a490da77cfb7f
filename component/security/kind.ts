/** What a type of security is, as all that deal with security need to know: the row of the type. */
import type { Identity } from '#component/identity.ts'
import type { Method } from '#component/request.ts'
import type { Rule, Shape } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** A scheme of OpenAPI that a request needs, with others of its alternative. */
interface SchemeUse {
  readonly name: string
  readonly scheme: JsonMap
  readonly scopes?: readonly string[]
}

/** Where a description shows the security. */
interface ShownPlace {
  readonly method: string
  /** Of the version: absolute, without a slash at the end. */
  readonly address: string
  readonly realm_uri: string
  /** The scopes of tokens of the gateway that operations of the version ask for, and what people are told of each. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** An endpoint that a type adds to the version of its paths. */
export interface SecurityEndpoint<Kind extends string = string> {
  readonly kind: Kind
  readonly methods: readonly Method[]
  /** `Allow` of its answers. */
  readonly allow: string
  /** The patterns it is served at. */
  patterns(base: string, object: JsonMap): readonly string[]
}

/** The endpoints that a type adds. */
export interface SecurityEndpoints<Kind extends string = string> {
  /** Below base_path: behaviour, OAuth2 and OIDC. */
  readonly rows: readonly SecurityEndpoint<Kind>[]
  /** Security objects with equal keys share their routes. */
  key(object: JsonMap): string
  /** Routes are shared only for equal purposes, to which the kind of the endpoint is added. */
  purpose(kind: string, object: JsonMap): string
  /** The object as its endpoints are told it. @param all those of the version, itself among them; absent: as it is written */
  shared?(object: JsonMap, all: readonly JsonMap[]): JsonMap
  readonly headers: Readonly<Record<string, string>>
  /** Whether its patterns hold bindings of their own, which those of base_path may repeat. */
  readonly hasBindings?: true
}

/** What the realm must declare for the security to hold. */
interface SecurityParty {
  readonly is: 'provider' | 'issuer'
  nameOf(object: JsonMap): string
}

/** What an OpenAPI scheme becomes. */
interface ImportedSecurity {
  /** The security object, without its type. */
  readonly object: JsonMap
  /** What the author is told of it. */
  readonly told?: string
}

/** The row of a type. */
export interface SecurityKind {
  readonly type: string
  /** The keys of the security object beside those of all types, and their rules. */
  readonly keys: Readonly<Record<string, Rule>>
  readonly required?: Shape['required']
  /** `WWW-Authenticate` of a refusal. @param realm a quoted string */
  challenge(realm: string): string
  /** The order among the proofs of one request: the cheapest is judged first. */
  readonly cost: number
  /** Whether its credentials stand in `Authorization`, and nowhere else. */
  inAuthorization?(object: JsonMap): boolean
  /** Whether browsers send the credentials by themselves, and have no CSRF value for them. */
  readonly isSentUnasked?: true
  /** Whether browsers answer the challenge with a dialog of their own. */
  readonly opensDialog?: true
  /** Whether each request is judged, whatever it brings. */
  readonly isAlwaysAsked?: true
  /** The alternatives of a request, in OpenAPI. */
  describe(object: JsonMap, place: ShownPlace): readonly (readonly SchemeUse[])[]
  /** The security object of a scheme of OpenAPI; undefined: the scheme is none of this type. */
  imported?(scheme: JsonMap): ImportedSecurity | undefined
  /** The authmethod that users of examples have. */
  readonly exampleMethod: string
  /** What the identity of an example has beside that of any user. */
  readonly exampleIdentity?: Partial<Identity>
  /** The name of what gateways of earlier versions do not know; undefined: they all know the type. */
  readonly feature?: string
  /** Keys that gateways of earlier versions leave out, and the name of each as a feature. */
  readonly keyFeatures?: Readonly<Record<string, string>>
  /** Statuses that only this type answers. */
  readonly statuses?: readonly string[]
  /** The header of its secret, in lower case. */
  secretHeader?(object: JsonMap): string
  readonly endpoints?: SecurityEndpoints
  readonly party?: SecurityParty
  /** The tokens that it takes: clients look for metadata of them (RFC 9728). */
  readonly tokens?: 'own' | 'foreign'
  /** Whether a person without credentials is sent to a login. */
  readonly hasLogin?: true
  /** Whether the identity can give the access token of its provider. */
  readonly givesToken?: true
  /** Whether the body of the request is signed: each message has an identity of its own. */
  readonly signsBody?: true
  /** The members of `security` beside those of any identity. */
  readonly identityKeys?: readonly string[]
  /** Whether what is asked for decides, and not credentials alone. */
  readonly decidesByRequest?: true
  /** Whether a certificate of the client is needed. */
  readonly needsCertificate?: true
  /** Whether credentials neither expire nor are revoked, and are costly to judge: streams are judged when the realm changes. */
  readonly isJudgedOnChange?: true
}

/** Keeps the type of a row known. */
export const securityKind = <T extends string>(
  row: SecurityKind & { readonly type: T },
): SecurityKind & { readonly type: T } => row

/** The text that a document declares, or the usual one: validation has reported what is not a text. */
export const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise
