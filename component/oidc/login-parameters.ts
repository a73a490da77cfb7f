/** The parameters of an authorization request that the realm or the browser adds, and the claims that they demand of the ID token. */
import { ServiceError } from '#component/errors.ts'
import { OidcError } from '#component/oidc-error.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Claims } from './claims.ts'
import type { ProviderSettings } from './settings.ts'

/** Parameters by name. */
export type LoginParameters = Readonly<Record<string, string>>

/** What was asked of the provider, and is checked in the ID token (OpenID Connect Core §3.1.2.1). */
export type Demands = Readonly<Partial<Record<'acr_values' | 'max_age' | 'prompt', string>>>

/** At most this many characters of one parameter. */
const maxParameter = 256

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

const isParameter = (name: string, text: string): boolean =>
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

/**
 * The parameters of one login: those of the realm, and those of the browser that the realm lists.
 * @throws ServiceError `service.error.bad_request` for a text that is not passed on
 */
export function parametersOf(
  { login_parameters, authorization_parameters }: ProviderSettings,
  query: LoginParameters,
): LoginParameters {
  const passed = login_parameters.flatMap((name) => {
    if (!Object.hasOwn(query, name)) return []
    const text = query[name] ?? ''
    if (isParameter(name, text)) return [[name, text]]
    const expected =
      name === 'max_age'
        ? 'a number of seconds'
        : `1 to ${maxParameter} characters without control characters`
    throw new ServiceError('service.error.bad_request', `${name}: expected ${expected}`)
  })
  return { ...Object.fromEntries(passed), ...authorization_parameters }
}

/** The part of the parameters that the ID token is checked against. */
export const demandsOf = ({ acr_values, max_age, prompt }: LoginParameters): Demands => ({
  ...(acr_values !== undefined && { acr_values }),
  ...(max_age !== undefined && { max_age }),
  ...(prompt !== undefined && { prompt }),
})

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '')

/** Whether the provider was asked to show nothing: without a session of its own it answers with an error. */
export const isSilent = ({ prompt }: Demands): boolean => words(prompt).includes('none')

/** How far the clock of a provider may be behind. Seconds. */
const clockTolerance = 30

/**
 * Checks that the provider has logged the user in as it was asked to (OpenID Connect Core §3.1.3.7, 12 and 13): a browser can take
 * `max_age`, `acr_values` and `prompt` out of the address, and a provider need not know them.
 * @param begun when the login began, by which the provider judges the age of its session; seconds since the epoch
 * @throws OidcError unmet_authentication_requirements
 */
export function checkDemands({ acr, auth_time }: Claims, demands: Demands, begun: number): void {
  const accepted = words(demands.acr_values)
  if (accepted.length > 0 && !accepted.some((one) => one === acr)) {
    throw unmet('the acr of the ID token is none of acr_values')
  }
  const isAnew = words(demands.prompt).includes('login')
  if (demands.max_age === undefined && !(isAnew && auth_time !== undefined)) return
  const maxAge = isAnew ? 0 : Number(demands.max_age)
  if (typeof auth_time !== 'number' || auth_time + maxAge < begun - clockTolerance) {
    throw unmet('the auth_time of the ID token is absent or too long ago for max_age or prompt')
  }
}

const unmet = (message: string): OidcError =>
  new OidcError('unmet_authentication_requirements', message)
