/** The parameters of an authorization request that a realm document may name or set. */
import { isMap } from '#component/syntax/values.ts'

/** Parameters by name. */
export type LoginParameters = Readonly<Record<string, string>>

/** At most this many characters of one parameter. */
export const maxParameter = 256

/**
 * What the gateway sets itself, what would take the place of that (RFC 9101, RFC 9126), what a client is known by, and what the
 * login endpoint reads for itself.
 */
const own: ReadonlySet<string> = new Set([
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'device_id',
  'nonce',
  'provider',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
])

const isParameterName = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z][\w.-]{0,63}$/i.test(value) && !own.has(value)

/** Names of parameters that may be passed on. */
export const isParameterNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isParameterName)

/** A count of seconds (OpenID Connect Core §3.1.2.1, `max_age`). */
const seconds = /^\d{1,9}$/

/** Whether a text may be passed on. */
export const isParameter = (name: string, text: string): boolean =>
  text.length >= 1 &&
  text.length <= maxParameter &&
  !/\p{Cc}/u.test(text) &&
  (name !== 'max_age' || seconds.test(text))

/** Parameters that are always sent; a number stands for its text. */
export const isParameters = (value: unknown): value is Readonly<Record<string, string | number>> =>
  isMap(value) &&
  Object.entries(value).every(
    ([name, one]) =>
      isParameterName(name) &&
      (typeof one === 'string' || Number.isSafeInteger(one)) &&
      isParameter(name, String(one)),
  )
