/** The parameters of an authorization request that the realm or the browser adds, and the claims that they demand of the ID token. */
import { ServiceError } from '#component/errors.ts'
import { OidcError } from '#component/oidc-error.ts'
import {
  isParameter,
  type LoginParameters,
  maxParameter,
} from '#component/realm/documents/info/login-parameters.ts'
import type { Claims } from './claims.ts'
import type { ProviderSettings } from './settings.ts'

export type { LoginParameters }

/** What was asked of the provider, and is checked in the ID token (OpenID Connect Core §3.1.2.1). */
export type Demands = Readonly<Partial<Record<'acr_values' | 'max_age' | 'prompt', string>>>

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
