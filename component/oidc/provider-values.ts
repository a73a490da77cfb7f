/** The keys of a provider in a realm: what each may be, its default, and how it is read. */

import { allowedPaths, isClaimPath } from '#component/realm/documents/info/claim-path.ts'
import {
  clientAuthentications,
  type ProviderKey,
  pushedRequests,
  secretAuthentications,
} from '#component/realm/documents/info/provider-rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { isWebUrl } from '#component/syntax/web-url.ts'
import { maxTicketLifetime } from '#component/token/ticket.ts'
import { isParameterNames, isParameters } from './login-parameters.ts'
import type { ProviderSettings } from './settings.ts'

/** One key. */
interface Value {
  /** The allowed values, in words. */
  readonly wanted: string
  readonly isRequired: boolean
  /** The value where the realm has none; undefined: the setting is absent then. */
  readonly preset: unknown
  /** The setting; undefined for a value that is not allowed. */
  read(value: unknown): unknown
}

type Guard<T> = (value: unknown) => value is T

/** What is not ordinary about a key. */
interface More<T> {
  readonly preset?: T
  readonly isRequired?: true
  /** The setting of a value. */
  from?(value: T): unknown
}

function allowing<T>(is: Guard<T>, wanted: string, more: More<T> = {}): Value {
  const { preset, isRequired = false, from = (value: T) => value } = more
  return { wanted, isRequired, preset, read: (value) => (is(value) ? from(value) : undefined) }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText)
/** Without what is invisible or turns the direction. */
const isTitle = (value: unknown): value is string =>
  typeof value === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(value)
const isDomain = (value: unknown): value is string =>
  typeof value === 'string' && /^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(value)
const isMapping = (value: unknown): value is Readonly<Record<string, string | readonly string[]>> =>
  isMap(value) && Object.values(value).every((role) => isText(role) || isTexts(role))

const isPlainUrl = (value: unknown): value is string =>
  isWebUrl(value) && !value.includes('?') && !value.includes('/.well-known/')

const isInterval = (value: unknown): value is number =>
  value === 0 ||
  (Number.isSafeInteger(value) && Number(value) >= 60 && Number(value) <= maxTicketLifetime)

const claim = (preset: string) => allowing(isClaimPath, allowedPaths, { preset })
const list = allowing(isTexts, 'a list of strings', { preset: [] })
const flag = (preset: boolean) =>
  allowing((value) => typeof value === 'boolean', 'true or false', { preset })
const oneOf = <T extends string>(words: readonly T[], more: More<T> = {}) =>
  allowing((value): value is T => words.some((word) => word === value), words.join(', '), more)
const integer = (least: number, most: number, preset?: number) =>
  allowing(
    (value): value is number =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    `an integer from ${least} to ${most}`,
    preset === undefined ? {} : { preset },
  )

// opened by each login
const secret = allowing((_value): _value is unknown => true, 'a secret')

/** Every setting but `name`: each is a key that a load knows. */
export const providerValues: Readonly<
  Record<Exclude<keyof ProviderSettings, 'name'> & ProviderKey, Value>
> = {
  title: allowing(isTitle, '1 to 64 printable characters'),
  issuer: allowing(isPlainUrl, 'an absolute URL without query and /.well-known/', {
    isRequired: true,
  }),
  client_id: allowing(isText, 'a string', { isRequired: true }),
  client_secret: secret,
  private_key: secret,
  client_authentication: oneOf(clientAuthentications),
  token_endpoint_auth_method: oneOf(secretAuthentications, {
    from: (method) => method.replace('client_secret_', ''),
  }),
  internal_issuer_url: allowing(isPlainUrl, 'an absolute URL without query and /.well-known/'),
  ca_file: allowing(isText, 'a path'),
  par: oneOf(pushedRequests),
  redirect_uri: allowing(isPlainUrl, 'an absolute URL without query'),
  scopes: allowing(isTexts, 'a list of strings', {
    preset: ['openid', 'profile', 'email'],
    from: (scopes) => [...new Set(['openid', ...scopes])],
  }),
  login_parameters: allowing(
    isParameterNames,
    'a list of names of parameters, none of them one that the gateway sets itself',
    { preset: [] },
  ),
  authorization_parameters: allowing(
    isParameters,
    'an object of texts of 1 to 256 characters without control characters, none of them one that the gateway sets itself',
    {
      preset: {},
      from: (given) =>
        Object.fromEntries(Object.entries(given).map(([name, one]) => [name, String(one)])),
    },
  ),
  authid_claim: claim('preferred_username'),
  role_claim: claim('roles'),
  role_claim_fallback: claim('role'),
  role_mapping: allowing(isMapping, 'an object of roles, or lists of roles', {
    preset: {},
    from: (mapping) =>
      Object.fromEntries(Object.entries(mapping).map(([role, roles]) => [role, [roles].flat()])),
  }),
  claims: allowing(
    (value) => Array.isArray(value) && value.every(isClaimPath),
    `a list, each member ${allowedPaths}`,
    { preset: [] },
  ),
  auto_provision: flag(true),
  ticket_idle_secs: integer(300, maxTicketLifetime),
  ticket_expiry_secs: integer(1, maxTicketLifetime, maxTicketLifetime),
  recheck_interval: allowing(isInterval, `0, or an integer from 60 to ${maxTicketLifetime}`, {
    preset: 0,
  }),
  recheck_grace: integer(0, maxTicketLifetime, 3_600),
  pass_access_token: flag(false),
  allow_unsafe_http: flag(false),
  cookie_domain: allowing(isDomain, 'a domain name', {
    from: (domain) => domain.replace(/^\./, '').toLowerCase(),
  }),
  cookie_same_site: oneOf(['lax', 'strict', 'none'], { preset: 'lax' }),
  allowed_redirect_uris: list,
  post_logout_redirect_uris: list,
}

/** Values that are allowed and do not fit together: each rule names the key and what is expected. */
export const providerClashes: readonly ((settings: ProviderSettings) => string | undefined)[] = [
  ({ issuer, internal_issuer_url, allow_unsafe_http }) => {
    const unsafe = Object.entries({ issuer, internal_issuer_url }).find(([, url]) =>
      url?.startsWith('http:'),
    )
    return unsafe && !allow_unsafe_http
      ? `${unsafe[0]}: expected https, or allow_unsafe_http: true`
      : undefined
  },
  ({ client_authentication, token_endpoint_auth_method }) =>
    client_authentication !== undefined && token_endpoint_auth_method !== undefined
      ? 'token_endpoint_auth_method: expected no older name beside client_authentication'
      : undefined,
  ({ client_authentication, private_key }) =>
    client_authentication === 'private_key_jwt' && private_key === undefined
      ? 'private_key: expected a key for client_authentication private_key_jwt'
      : undefined,
  ({ login_parameters, authorization_parameters }) =>
    login_parameters.some((name) => Object.hasOwn(authorization_parameters, name))
      ? 'login_parameters: expected none of the names in authorization_parameters'
      : undefined,
]
