/** The port of a security scheme, which decides whether a request may pass and as which user. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { because } from '#component/login-refusal.ts'
import type { BodyLimits, Method, Request } from '#component/request.ts'
import type { IpRange } from '#component/syntax/ip-address.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Brought } from './brought.ts'
import type { ClientProof } from './client-proof.ts'
import type { Demand } from './demand.ts'
import type { SecurityKind } from './kind.ts'

/** The protection of a path: its folded security object, its API, and the realm whose users may pass. */
export interface Protection {
  readonly type: string
  /** The row of the type. */
  readonly kind: SecurityKind
  readonly realm_uri: string
  /** The id of the specification. */
  readonly api: string
  readonly object: Readonly<Record<string, unknown>>
  /** What the user must have beside credentials that hold; absent: nothing. */
  readonly demand?: Demand | undefined
  /** Of a body that must be read to prove who asks. */
  readonly limits: BodyLimits
  /** Of several kinds of credentials: all of them; absent: {@link object} is one kind. */
  readonly alternatives?: Alternatives
  /** Of an alternative, with which other kinds of credentials may come: whether it is the first one of its type. */
  readonly among?: { readonly isFirst: boolean }
}

/** One of the alternatives of a path: what a request must bring, all of it. */
export interface Alternative {
  /** Its name, for expressions, the log and metrics. */
  readonly via: string
  /** The first is the user, the others are proofs. */
  readonly members: readonly [user: Protection, ...proofs: Protection[]]
  /** The positions of the members, in the order in which they are judged. */
  readonly order: readonly number[]
  /** The networks from which it is judged and offered; each of them holds. undefined: from everywhere. */
  readonly allowFrom: readonly (readonly IpRange[])[] | undefined
  /** The alternatives that differ from it in scopes alone, itself among them, in the order of the document. */
  readonly judgedWith: readonly Alternative[]
  /** Whether browsers send all that it wants by themselves, without a cookie that has a CSRF value. */
  readonly isSentUnasked: boolean
}

/** All alternatives of a path. */
export interface Alternatives {
  /** In the order of the document. */
  readonly all: readonly Alternative[]
  /** The members of all of them. */
  readonly members: readonly Protection[]
  /** Whether a request without credentials passes, too. */
  readonly isOptional: boolean
  /** The members whose credentials a request without credentials does not have. */
  readonly counted: readonly Protection[]
  /** Whether one of them looks at the certificate of the client. */
  readonly wantsCertificate: boolean
  /** Whether one of them is a login of people: browsers send its cookie, and what else they have. */
  readonly hasLogin: boolean
  /** The header fields that a request without credentials does not have, as `Vary` names them. */
  readonly fields: string
  /** The version that they are of, for metrics. */
  readonly version: { readonly api: string; readonly label: string }
  /** Other origins whose pages may send what browsers add by themselves; undefined: those that the configuration names. */
  readonly origins: readonly string[] | undefined
}

/** What a path is protected by, in a few words: `machine | jwt+mtls | oidc`. */
export const shownProtection = ({ type, alternatives }: Protection): string =>
  alternatives?.all.map(({ via }) => via).join(' | ') ?? type

/** The protections that a path has: one, or those of all its alternatives. */
export const membersOf = (protection: Protection | undefined): readonly Protection[] =>
  protection === undefined ? [] : (protection.alternatives?.members ?? [protection])

/** The parts of a request that a scheme may read. */
export interface SecuredRequest
  extends Pick<Request, 'scheme' | 'host' | 'path' | 'query_string' | 'headers'> {
  readonly method: Method
  /** `ip:port`, `[ip]:port`. */
  readonly peername: string
  /** Set-Cookie fields that the scheme adds to the answer. */
  cookies?: readonly string[] | undefined
  /** The name of the alternative that has let it pass, for the log; the scheme sets it. */
  via?: string | undefined
  header(name: string): string | undefined
  /** The body as it was sent; it can be decoded or passed on after that. ServiceError 413, 408, 400, 503 */
  readBytes(limits: BodyLimits): Promise<Uint8Array>
  /** The certificate of the client; absent, and undefined: it has shown none, or is not asked for one. */
  readonly clientCertificate?:
    | (() => ClientProof | undefined | Promise<ClientProof | undefined>)
    | undefined
}

/** Methods that change nothing (RFC 9110 §9.2.1); pages of other origins can have browsers send these, and links do. */
export const isSafe = (method: Method): boolean =>
  method === 'get' || method === 'head' || method === 'options'

/** Lets a request pass by telling whom it acts for, or throws ServiceError: 401 with `WWW-Authenticate`, 403, 429. */
export interface SecurityScheme {
  authenticate(request: SecuredRequest, protection: Protection): Identity | Promise<Identity>
  /**
   * Judges a request once more that has passed and is still served. A refusal counts as no failure, and the failures of others
   * refuse nobody. Absent: {@link authenticate} counts nothing.
   */
  authenticateAgain?(request: SecuredRequest, protection: Protection): Identity | Promise<Identity>
  /** What a request brings of several alternatives, for explanations; absent: the scheme is one alternative. */
  told?(request: SecuredRequest, protection: Protection): BroughtAlternatives
}

/** What a request brings of the alternatives that it may use. */
export interface BroughtAlternatives {
  readonly alternatives: readonly {
    readonly via: string
    /** The names of the members whose credentials are there. */
    readonly there: readonly string[]
    readonly lacks: readonly string[]
  }[]
  /** The name of the alternative that decides; null: none does. */
  readonly decided: string | null
}

/** A scheme that can be one of several alternatives of a path. */
export interface AlternativeScheme extends SecurityScheme {
  /** Whether a request brings its credentials, which nothing has verified. */
  isBrought(brought: Brought, protection: Protection): boolean
}

/** The schemes by type. */
export type Schemes = Readonly<Record<string, SecurityScheme>>

/** @throws TypeError where there is none: each row has one */
export function schemeOf(schemes: Schemes, { type }: Pick<Protection, 'type'>): SecurityScheme {
  const scheme = schemes[type]
  if (scheme === undefined) throw new TypeError(`no scheme of the type ${type}`)
  return scheme
}

/** A quoted-string (RFC 9110 §5.6.4); what no header may carry is left out. */
export function quoted(text: string): string {
  let result = '"'
  for (const character of text) {
    if (character < ' ' || character > '~') continue
    result += character === '"' || character === '\\' ? `\\${character}` : character
  }
  return `${result}"`
}

/**
 * 401 with the challenge of the type: RFC 9110 §11.6.1 wants one with every 401.
 * @param reason why the credentials are refused, for the log; undefined if the request has none. Clients are told why their
 *   bearer token is refused (RFC 6750 §3), and nothing about other credentials.
 * @param authid the user whose credentials they are
 */
export function unauthorized(
  { kind, realm_uri }: Pick<Protection, 'kind' | 'realm_uri'>,
  reason?: string,
  authid?: string,
): ServiceError {
  const challenge = kind.challenge(quoted(realm_uri))
  const isTold = reason !== undefined && challenge.startsWith('Bearer ')
  const error = isTold ? `, error="invalid_token", error_description=${quoted(reason)}` : ''
  const message = isTold ? reason : 'valid credentials are required for this path'
  return new ServiceError('service.error.unauthorized', message, {
    headers: { 'www-authenticate': challenge + error },
    ...(reason !== undefined &&
      because({ realm: realm_uri, authmethod: kind.type, authid, reason })),
  })
}

/**
 * 403 for a token that holds and does not allow what the path needs (RFC 6750 §3.1).
 * @param scopes all that the path needs
 * @param authid the user of the token
 */
export function insufficientScope(
  { kind, realm_uri }: Pick<Protection, 'kind' | 'realm_uri'>,
  scopes: readonly string[],
  authid: string,
): ServiceError {
  const message = `the token lacks a scope of this path: ${scopes.join(' ')}`
  const error = `error="insufficient_scope", error_description=${quoted(message)}`
  const challenge = `${kind.challenge(quoted(realm_uri))}, ${error}, scope=${quoted(scopes.join(' '))}`
  const reason = 'the token lacks a scope of the path'
  return new InsufficientScope('wamp.error.not_authorized', message, {
    headers: { 'www-authenticate': challenge },
    ...because({ realm: realm_uri, authmethod: kind.type, authid, reason }),
  })
}

/** Refuses a request whose token holds. */
export class InsufficientScope extends ServiceError {}

/** The refusal of a request whose token or ticket does not hold; other errors are returned unchanged. */
export const tokenRefusal = (error: unknown, protection: Protection): unknown =>
  error instanceof TokenError ? unauthorized(protection, error.reason) : error

/**
 * Lets a request pass by its token or ticket; at once where that was verified before.
 * @param verify throws TokenError for a token that does not hold, at once or as a rejection, and so may `admit`: it becomes a 401
 */
export function admitByToken<T>(
  protection: Protection,
  verify: () => T | Promise<T>,
  admit: (token: T) => Identity | Promise<Identity>,
): Identity | Promise<Identity> {
  const refuse = (error: unknown): never => {
    throw tokenRefusal(error, protection)
  }
  try {
    const token = verify()
    const identity = token instanceof Promise ? token.then(admit) : admit(token)
    return identity instanceof Promise ? identity.catch(refuse) : identity
  } catch (error) {
    return refuse(error)
  }
}
