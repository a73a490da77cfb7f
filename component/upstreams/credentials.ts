/** What proves to an upstream who asks: a port, which forwards use without knowing where it comes from. */
import type { EgressProxy } from '#component/action/connections/egress.ts'
import type { Identity, ProviderToken } from '#component/identity.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** A name, and the secret that is sent under it. */
interface Named {
  readonly name: string
  readonly value: string
}

/** What is added to one request. */
export interface Credential {
  /** The type of `auth`. */
  readonly type: string
  /** A header field; its name in lower case. */
  readonly field?: Named
  /** A parameter of the query, neither encoded. */
  readonly parameter?: Named
  /** The texts that no field of the answer may hold: the secret, and the forms that it is sent in. */
  readonly secrets: readonly string[]
}

/** Who asks, and by what that was proved. */
export interface Asking {
  readonly identity: Pick<Identity, 'expires_at'>
  /** The token that has proved the user, as it came or as the provider of the login gives it; undefined: something else has. */
  subjectToken(): ProviderToken
}

/** The `auth` of an upstream in this process. */
export interface Credentials {
  readonly type: string
  /** The settings that they are made of, secrets sealed: the same text stands for the same credentials. */
  readonly key: string
  /** Whether another credential may be had where the upstream refuses one. */
  readonly isRenewed: boolean
  /** Whether each user has one of his own: an answer to one of them is none for another. */
  readonly isOfUser: boolean
  /**
   * The credential of a request; at once where it is known.
   * @throws at once or as a rejection: ServiceError `service.error.no_upstream_token` while there is none; `wamp.error.not_authorized`
   *   for whom there is none; TokenError for a token of the user that does not hold
   */
  of(asking: Asking): Credential | Promise<Credential>
  /** Takes a credential back that the upstream has refused. @returns whether {@link of} may give another one now */
  refuse(credential: Credential, asking: Asking): boolean
  /** When the token of the gateway was fetched, and when it ends, milliseconds since the epoch; undefined: there is none, or it is no such token. */
  readonly token: { readonly from: number; readonly until: number } | undefined
  /** They are used no more. */
  close(): void
}

/** Whose credentials they are. */
export interface Holder {
  readonly realm_uri: string
  /** The name of the upstream. */
  readonly upstream: string
}

/** The proxy of the upstream, by which its tokens are fetched, too. */
export interface OwnProxy {
  readonly proxy: EgressProxy
  /** The settings that it is made of. */
  readonly of: unknown
}

/**
 * Makes the credentials of an upstream, or of its proxy.
 * @param auth as the realm has it; without a type: a name and a password
 * @param by absent: it has none of its own
 */
export type OpenCredentials = (holder: Holder, auth: JsonMap, by?: OwnProxy) => Credentials
