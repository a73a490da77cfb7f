/** The rules of `security` and `schemes`: how a request proves who asks (specification: Resources and their fields). */
import { readRange } from '#component/syntax/ip-address.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { describe } from './report.ts'
import {
  dynamic,
  emptyMap,
  integer,
  listOf,
  mapOf,
  must,
  oneOf,
  type Rule,
  rule,
  string,
  text,
  variants,
} from './rules.ts'
import { fixedPathProblem, headerNameProblem } from './syntax.ts'

/** The schemes that a request may come by. */
export const schemes = dynamic(
  listOf(dynamic(oneOf(['http', 'https'])), 'a list of http and https'),
)

/** An IP address, or a network of them. */
export const network = must(
  'an IP address or address/prefix',
  (value) => typeof value === 'string' && readRange(value) !== undefined,
  { type: 'string' },
)

/** The networks that requests may come from. */
export const allowFrom = dynamic(listOf(dynamic(network), 'a list of networks, such as 10.0.0.0/8'))

const securityShared = { schemes, allow_from: allowFrom, description: string }
const fixedPath = dynamic(text('a fixed path', fixedPathProblem))

/** Accepted, because real documents may have them, but no grant is served for them (behaviour: OAuth2). */
const unservedFlows: readonly unknown[] = ['implicit', 'authorization_code']
const flowName = oneOf([
  'implicit',
  'authorization_code',
  'client_credentials',
  'resource_owner_password_credentials',
])

const flow: Rule = dynamic(
  rule(flowName.schema, (value, path, report) => {
    flowName(value, path, report)
    if (unservedFlows.includes(value))
      report.warn(path, `no grant is served for the flow ${describe(value)}`)
  }),
)

/** RFC 6749 §3.3. */
const scopeToken = /^[!#-[\]-~]+$/

const scope = text('a scope', (value) =>
  scopeToken.test(value)
    ? undefined
    : 'it has printable ASCII without blanks, quotes and backslashes',
)

const headerName = text('the name of a header', headerNameProblem)
const roles = dynamic(
  must(
    'a role, or a list of roles',
    (value) => [value].flat().every((role) => typeof role === 'string' && role !== ''),
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  ),
)

/** The answer of an authentication service is kept for at most an hour. */
const maxCacheSecs = 3_600

/** Why a text is not the URL of a service: the rules of the host of a forward hold. */
function authUrlProblem(value: string): string | undefined {
  const url = URL.parse(value)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'it is none'
  if (url.username !== '' || url.password !== '') return 'it has credentials, which it may not'
  return url.hash === '' ? originProblem(url.origin) : 'it has a fragment, which is not sent'
}

/** What of a client certificate names the user. */
const certificateNames = oneOf(['san_dns', 'san_uri', 'cn', 'fingerprint'])

const securityVariants = variants('a security object', {
  basic: { keys: securityShared },
  api_key: {
    keys: {
      ...securityShared,
      header_name: dynamic(headerName),
    },
  },
  oauth2: {
    keys: {
      ...securityShared,
      flow,
      token_path: fixedPath,
      revoke_token_path: fixedPath,
    },
    required: { flow: 'the OAuth2 flow that the token endpoint serves' },
  },
  oidc: { keys: { ...securityShared, provider: string } },
  forward_auth: {
    keys: {
      ...securityShared,
      url: dynamic(text('an absolute http or https URL', authUrlProblem)),
      request_headers: dynamic(listOf(dynamic(headerName), 'a list of header names', 0)),
      response_headers: dynamic(mapOf(dynamic(headerName), 'a map of names to headers')),
      role_mapping: dynamic(mapOf(roles, 'a map of roles to roles of the realm')),
      cache_secs: dynamic(integer(0, maxCacheSecs, ' of seconds')),
    },
    required: { url: 'the URL of the service that is asked' },
  },
  webhook: {
    keys: { ...securityShared, sender: string },
    required: { sender: 'the name of a sender in info.webhook_senders of the realm' },
  },
  jwt: {
    keys: {
      ...securityShared,
      issuer: string,
      scopes: dynamic(listOf(dynamic(scope), 'a list of scopes')),
    },
    required: { issuer: 'the name of an issuer in info.jwt_issuers of the realm' },
  },
  mtls: {
    keys: { ...securityShared, authid: dynamic(certificateNames) },
    required: { authid: 'what of the client certificate names the user' },
  },
})

/** `{}` is open; any other value must name its type, so that a mistake never leaves a path open. */
export const security: Rule = dynamic(
  rule({ anyOf: [securityVariants.schema, emptyMap] }, (value, path, report) => {
    if (!isMap(value) || Object.keys(value).length > 0) securityVariants(value, path, report)
  }),
)
