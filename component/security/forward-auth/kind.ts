/** What `forward_auth` is: its row. */
import { securityKind } from '#component/security/kind.ts'
import { headerName } from '#component/spec/http-rules.ts'
import { dynamic, integer, listOf, mapOf, must, text } from '#component/spec/rules.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'

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

/** The header by which another service most likely knows who asks: `Authorization`, unless it is not told that. */
function credentialsHeader(names: unknown): string {
  const texts = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  const isTold = texts.length === 0 || texts.some((one) => one.toLowerCase() === 'authorization')
  return isTold ? 'Authorization' : String(texts[0])
}

/** Another service is asked about each request. */
export const forwardAuth = securityKind({
  type: 'forward_auth',
  keys: {
    url: dynamic(text('an absolute http or https URL', authUrlProblem)),
    request_headers: dynamic(listOf(dynamic(headerName), 'a list of header names', 0)),
    response_headers: dynamic(mapOf(dynamic(headerName), 'a map of names to headers')),
    role_mapping: dynamic(mapOf(roles, 'a map of roles to roles of the realm')),
    cache_secs: dynamic(integer(0, maxCacheSecs, ' of seconds')),
  },
  required: { url: 'the URL of the service that is asked' },
  challenge: (realm) => `ForwardAuth realm=${realm}`,
  describe: ({ request_headers }) => [
    [
      {
        name: 'forward_auth',
        scheme: { type: 'apiKey', in: 'header', name: credentialsHeader(request_headers) },
      },
    ],
  ],
  cost: 4,
  isAlwaysAsked: true,
  exampleMethod: 'forward_auth',
  feature: 'forward_auth',
  statuses: ['503'],
  decidesByRequest: true,
})
