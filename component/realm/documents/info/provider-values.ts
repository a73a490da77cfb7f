/** The keys of a provider in a realm: what each may be, its default, and how it is read. */

import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { isWebUrl } from '#component/syntax/web-url.ts'
import { maxTicketLifetime } from '#component/token/ticket.ts'
import { allowedPaths, isClaimPath } from './claim-path.ts'
import { isParameterNames, isParameters } from './login-parameters.ts'
import {
  clientAuthentications,
  type ProviderSettings,
  pushedRequests,
  secretAuthentications,
} from './provider-settings.ts'

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

/** Every setting but `name`. */
const providerValues: Readonly<Record<Exclude<keyof ProviderSettings, 'name'>, Value>> = {
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

/** What is wrong with a key, and what is allowed. */
export interface Problem {
  readonly key: string
  readonly wanted: string
}

/** Placeholders of documentation, such as those of Entra ID. */
const placeholder = /\{[^}]*\}|%7b|<[^>]*>|%3c/i

/** Values that are allowed and do not fit together, or by which no login succeeds. */
const clashes: readonly ((settings: ProviderSettings) => Problem | undefined)[] = [
  ({ issuer, internal_issuer_url, allow_unsafe_http }) => {
    const unsafe = Object.entries({ issuer, internal_issuer_url }).find(([, url]) =>
      url?.startsWith('http:'),
    )
    return unsafe && !allow_unsafe_http
      ? { key: unsafe[0], wanted: 'https, or allow_unsafe_http: true' }
      : undefined
  },
  ({ issuer }) =>
    placeholder.test(issuer)
      ? { key: 'issuer', wanted: 'the id of your tenant in place of the placeholder in the URL' }
      : undefined,
  ({ client_authentication, token_endpoint_auth_method }) =>
    client_authentication !== undefined && token_endpoint_auth_method !== undefined
      ? {
          key: 'token_endpoint_auth_method',
          wanted: 'no older name beside client_authentication',
        }
      : undefined,
  ({ client_authentication, private_key }) =>
    client_authentication === 'private_key_jwt' && private_key === undefined
      ? { key: 'private_key', wanted: 'a key for client_authentication private_key_jwt' }
      : undefined,
  ({ login_parameters, authorization_parameters }) =>
    login_parameters.some((name) => Object.hasOwn(authorization_parameters, name))
      ? { key: 'login_parameters', wanted: 'none of the names in authorization_parameters' }
      : undefined,
]

/** Reads one provider, or returns its problems. */
export function readProvider(name: string, entry: JsonMap): ProviderSettings | readonly Problem[] {
  const problems: Problem[] = []
  const settings: Record<string, unknown> = { name }
  for (const [key, { wanted, isRequired, preset, read }] of Object.entries(providerValues)) {
    const value = (Object.hasOwn(entry, key) ? entry[key] : undefined) ?? preset
    if (value === undefined && !isRequired) continue
    settings[key] = read(value)
    if (settings[key] === undefined) problems.push({ key, wanted })
  }
  if (problems.length > 0) return problems
  // every key has been read by its row
  const found = settings as unknown as ProviderSettings
  const clashing = clashes.flatMap((clashOf) => clashOf(found) ?? [])
  return clashing.length > 0 ? clashing : found
}
