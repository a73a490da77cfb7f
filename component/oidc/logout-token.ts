/** Logout tokens: a provider's order to end logins (OpenID Connect Back-Channel Logout 1.0 §2.4), verified as §2.6 has it. */
import type { CustomFetch } from 'openid-client'
import { OidcError } from '#component/oidc-error.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { type Discovered, why } from './client/discovery.ts'
import { failureOf, type SentRequest } from './client/provider-answer.ts'
import { type SignatureRules, signatureRules, verifySignature } from './signature.ts'

/** A verified order. It names a session, a subject, or both. */
export interface LogoutOrder {
  readonly issuer: string
  readonly sid?: string
  readonly sub?: string
  /** The `jti` of its token. */
  readonly id: string
  /** Until when its token is accepted. Seconds since the epoch. */
  readonly exp: number
}

/** What a logout token is held against. */
interface LogoutTokenRules extends SignatureRules {
  readonly issuer: string
  readonly client_id: string
  /** Seconds since the epoch. */
  readonly now: number
}

/** A logout token is refused; the message is for the log, and holds nothing of the token. */
export class LogoutTokenError extends Error {
  override readonly name = 'LogoutTokenError'
}

/** How far `iat` may be from now. Seconds. */
const maxAge = 300

/** Longest token, and longest name in it. Characters. */
const maxLength = 16_384
const maxName = 1_024

/**
 * Types of a logout token. Its own is recommended (§2.4); others call it a JWT (§4.1), or the security event token that it is (RFC
 * 8417 §2.3): `events` and the absence of `nonce` tell it from an ID token.
 */
const types = /^(application\/)?(logout\+jwt|secevent\+jwt|jwt)$/i

const event = 'http://schemas.openid.net/event/backchannel-logout'

function refuse(message: string, cause?: unknown): never {
  throw new LogoutTokenError(message, { cause })
}

/**
 * Verifies a logout token; whether it has come before is for the caller.
 * @throws LogoutTokenError; what `keys` throws
 */
async function readLogoutToken(token: string, rules: LogoutTokenRules): Promise<LogoutOrder> {
  if (token.length > maxLength) refuse('the logout token is too long')
  const verified = await verifySignature(token, rules)
  if (verified instanceof Error) {
    return refuse(`the signature of the logout token is wrong: ${verified.code}`, verified)
  }
  const { typ } = verified.protectedHeader
  if ((typ ?? undefined) !== undefined && !types.test(String(typ))) {
    refuse('typ: expected logout+jwt, secevent+jwt, JWT, or none')
  }
  return orderOf(claimsOf(verified.payload), rules)
}

const isTold = ([, value]: readonly [string, unknown]): boolean => value !== null

function claimsOf(payload: Uint8Array): JsonMap {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    // null says what absence says; deeper, as in `events`, it is a value
    if (isMap(claims)) return Object.fromEntries(Object.entries(claims).filter(isTold))
  } catch {
    // refused below
  }
  return refuse('the claims of the logout token are no JSON object')
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxName

const isTime = (value: unknown): value is number => Number.isFinite(value)

function orderOf(claims: JsonMap, { issuer, client_id, now }: LogoutTokenRules): LogoutOrder {
  const { iss, aud, azp, iat, exp, jti, events, sid, sub } = claims
  if (iss !== issuer) refuse('iss: expected the issuer of the provider')
  if (![aud].flat().includes(client_id)) refuse('aud: expected the client_id of the gateway')
  // as of ID tokens: one for several audiences says who may use it
  const isForMore = Array.isArray(aud) && aud.length > 1
  if ((isForMore || azp !== undefined) && azp !== client_id) {
    refuse('azp: expected the client_id of the gateway')
  }
  if (!isTime(iat) || Math.abs(now - iat) > maxAge) {
    refuse(`iat: expected a time within ${maxAge} seconds`)
  }
  if (!isTime(exp) || exp <= now) refuse('exp: expected a time to come')
  if (!isName(jti)) refuse('jti: expected a text')
  if (!isMap(events) || !Object.hasOwn(events, event))
    refuse(`events: expected the member ${event}`)
  if (Object.hasOwn(claims, 'nonce')) refuse('nonce: expected none')
  if (sid !== undefined && !isName(sid)) refuse('sid: expected a text')
  if (sub !== undefined && !isName(sub)) refuse('sub: expected a text')
  if (sid === undefined && sub === undefined) refuse('expected sid or sub')
  return {
    issuer,
    ...(sid !== undefined && { sid }),
    ...(sub !== undefined && { sub }),
    id: jti,
    // whatever its exp, the token is too old after that
    exp: Math.ceil(Math.min(exp, iat + maxAge)),
  }
}

/**
 * The order of a logout token of a provider.
 * @param at `send` sends a request, and notes it in `sent`
 * @throws LogoutTokenError; OidcError provider_unavailable when the keys of the provider are needed and do not come
 */
export async function logoutOrderOf(
  token: string,
  { metadata, jwks }: Pick<Discovered, 'metadata' | 'jwks'>,
  at: Pick<LogoutTokenRules, 'client_id' | 'now'> & {
    readonly send: CustomFetch
    readonly sent: SentRequest
  },
): Promise<LogoutOrder> {
  const { client_id, now, send, sent } = at
  const rules = signatureRules({ metadata, jwks }, send)
  try {
    return await readLogoutToken(token, { ...rules, issuer: metadata.issuer, client_id, now })
  } catch (cause) {
    if (cause instanceof LogoutTokenError) throw cause
    const message = `the keys of the provider could not be fetched: ${why(cause)}`
    const answer = failureOf(cause, sent)
    throw new OidcError('provider_unavailable', message, { cause, answer })
  }
}
