/** Credentials that are tokens: one of the gateway for all requests, or one for each user (RFC 8693). */
import { decodeJwt } from 'jose'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Granted, TokenGrants } from '#component/oidc/client/token-grant.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Asking, Credential, Credentials } from '#component/upstreams/credentials.ts'
import type { ExchangedTokens } from './exchanged-tokens.ts'
import type { Open } from './fixed-credentials.ts'
import { noToken, type SentToken } from './sent-token.ts'
import { fetchedOnce, type TokenShare } from './shared-tokens.ts'
import { TokenKeeper } from './token-keeper.ts'
import { parametersOf, tokenSettings } from './token-settings.ts'

/** The dependencies of tokens. */
export interface TokenPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly open: Open
  readonly grants: Pick<TokenGrants, 'forClient' | 'forSubject'>
  /** Of a gateway of several processes. */
  readonly share: TokenShare | undefined
  readonly exchanged: ExchangedTokens
  /** Told of each token that was fetched here. */
  onFetched(): void
  /** Told why there is none. */
  onFailure(error: unknown): void
  /** Told of a user to whom the server gives none. */
  onRefused(): void
}

/** What they are made of. */
interface TokenAuth extends Pick<Credentials, 'type' | 'key'> {
  /** The name of the upstream. */
  readonly name: string
  readonly auth: JsonMap
}

/** Of a token whose server does not say it, and that does not itself. Milliseconds. */
const usualLifeMs = 300_000

/** When a token ends that is a JWT and says so; undefined for others. It is not verified: whoever takes it does that. */
function endOf(token: string): number | undefined {
  if (token.split('.', 4).length !== 3) return undefined
  try {
    const { exp } = decodeJwt(token)
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}

/** @param from when it was asked for, milliseconds since the epoch */
const sentToken = ({ text, lifetime }: Granted, from: number): SentToken => ({
  text,
  from,
  until: lifetime === undefined ? (endOf(text) ?? from + usualLifeMs) : from + lifetime * 1000,
})

const bearer = (type: string, text: string): Credential => ({
  type,
  field: { name: 'authorization', value: `Bearer ${text}` },
  secrets: [text],
})

/** `client_credentials`. */
export function clientCredentials(
  { type, key, name, auth }: TokenAuth,
  { clock, open, grants, share, onFetched, onFailure }: TokenPorts,
): Credentials {
  const fetch = async (): Promise<SentToken> => {
    const from = clock.now()
    const { endpoint, secrets } = await tokenSettings(name, auth, open)
    const token = await grants.forClient(endpoint, secrets, parametersOf(auth))
    return sentToken(token, from)
  }
  const counted = () =>
    fetch().then(
      (token) => {
        onFetched()
        return token
      },
      (error: unknown) => {
        onFailure(error)
        throw error
      },
    )
  const keeper = new TokenKeeper({
    clock,
    fetch: (former) => fetchedOnce(share, { key, former }, counted),
  })
  let text: string | undefined
  let credential: Credential | undefined
  const credentialOf = (token: string): Credential => {
    if (credential !== undefined && text === token) return credential
    text = token
    credential = bearer(type, token)
    return credential
  }
  return {
    ...{ type, key, isRenewed: true, isOfUser: false },
    of() {
      const token = keeper.get()
      return token instanceof Promise ? token.then(credentialOf) : credentialOf(token)
    },
    refuse: ({ secrets: [token = ''] }) => keeper.refuse(token),
    get token() {
      return keeper.token
    },
    close: () => keeper.close(),
  }
}

const accessToken = 'urn:ietf:params:oauth:token-type:access_token'

/** The codes that say that the token of the user does not hold, and those that say what it is not good for (RFC 8693 §2.2.2, RFC 6749 §5.2). */
const [unheld, unallowed] = [
  new Set(['invalid_request', 'invalid_grant', 'invalid_token']),
  new Set(['access_denied', 'invalid_target', 'invalid_scope']),
]

/** How long a refusal holds, as {@link ExchangedTokens} keep it. Milliseconds. */
const retryMs = 5_000

/** Why the server gives this user none; undefined: it is away, or the gateway is not who it says. */
function refusalOf(error: unknown): Error | undefined {
  const { provider_code = '' } = error instanceof OidcError ? error.answer : {}
  if (unheld.has(provider_code)) {
    return new TokenError('the token is not taken by the authorization server of the upstream', {
      cause: error,
    })
  }
  if (unallowed.has(provider_code)) {
    const message = 'the authorization server of the upstream gives the user no token'
    return new ServiceError('wamp.error.not_authorized', message, { cause: error })
  }
  return undefined
}

const noSubject = (): ServiceError =>
  new ServiceError(
    'wamp.error.not_authorized',
    'the upstream needs a token of the user, and the credentials of the request are none',
  )

/** `token_exchange`. */
export function tokenExchange(
  { type, key, name, auth }: TokenAuth,
  { clock, open, grants, exchanged, onFetched, onFailure, onRefused }: TokenPorts,
): Credentials {
  const { subject_token_type, requested_token_type } = auth
  const types = {
    subject_token_type: String(subject_token_type ?? accessToken),
    ...(typeof requested_token_type === 'string' && { requested_token_type }),
  }
  const exchange =
    ({ identity: { expires_at = Number.POSITIVE_INFINITY } }: Asking) =>
    async (subject_token: string): Promise<SentToken> => {
      const from = clock.now()
      try {
        const { endpoint, secrets } = await tokenSettings(name, auth, open)
        const parameters = { ...parametersOf(auth), ...types, subject_token }
        const token = sentToken(await grants.forSubject(endpoint, secrets, parameters), from)
        onFetched()
        const ends = [token.until, expires_at, endOf(subject_token) ?? token.until]
        return { ...token, until: Math.min(...ends) }
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal) onRefused()
        else onFailure(error)
        throw refusal ?? noToken(retryMs, error)
      }
    }
  const forSubject = (
    subject: string | undefined,
    asking: Asking,
  ): Credential | Promise<Credential> => {
    if (subject === undefined) throw noSubject()
    const token = exchanged.get(key, subject, exchange(asking))
    return token instanceof Promise ? token.then((text) => bearer(type, text)) : bearer(type, token)
  }
  return {
    ...{ type, key, isRenewed: true, isOfUser: true, token: undefined },
    of(asking) {
      const subject = asking.subjectToken()
      return subject instanceof Promise
        ? subject.then((token) => forSubject(token, asking))
        : forSubject(subject, asking)
    },
    refuse({ secrets: [token = ''] }, asking) {
      const subject = asking.subjectToken()
      // it was at hand when the request was sent
      return typeof subject === 'string' && exchanged.refuse(key, subject, token)
    },
    close: () => undefined,
  }
}
