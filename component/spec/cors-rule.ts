/** The rule of `cors` of a version: which pages of other origins may call it (Fetch standard, "CORS protocol"). */
import { pointer } from '#component/codec/json.ts'
import { headerNameProblem, isToken } from '#component/syntax/http-field.ts'
import { pageOrigin } from '#component/syntax/page-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { closedMap } from './closed-map.ts'
import { boolean, described, integer, listOf, type Rule, rule, text } from './rules.ts'

const originPattern = new RegExp(`^${pageOrigin}$`)
const origin = text('an origin such as "https://shop.example.com"', (value) =>
  originPattern.test(value) ? undefined : 'it is no scheme and host in lower case without a path',
)
const method = text('an HTTP method', (value) =>
  isToken(value) ? undefined : 'it is no token (RFC 9110 §5.6.2)',
)
const header = text('a header name', headerNameProblem)

/** `*`, or a list. */
const allOr = (member: Rule, allowed: string): Rule => {
  const list = listOf(member, `"*" or ${allowed}`, 0)
  return rule({ anyOf: [{ const: '*' }, list.schema] }, (value, path, report) => {
    if (value !== '*') list(value, path, report)
  })
}

const withoutCredentials = ['origins', 'methods', 'headers', 'expose'] as const

const keys = closedMap('a map {origins, methods, headers, expose, credentials, max_age}', {
  origins: described(
    allOr(origin, 'a list of origins'),
    'Origins whose pages may read the responses; "*" for all, [] for none.',
  ),
  methods: described(
    allOr(method, 'a list of methods'),
    'Access-Control-Allow-Methods. Absent: gateway.cors.allow_methods.',
  ),
  headers: described(
    allOr(header, 'a list of header names'),
    'Access-Control-Allow-Headers. Absent: gateway.cors.allow_headers.',
  ),
  expose: described(
    allOr(header, 'a list of header names'),
    'Access-Control-Expose-Headers: the headers that pages may read beside those that they always may.',
  ),
  credentials: described(
    boolean,
    'Whether pages may send cookies and other credentials, and read the response.',
    { default: false },
  ),
  max_age: described(
    integer(0, 86_400, ' of seconds'),
    'Access-Control-Max-Age. Absent: gateway.cors.max_age.',
  ),
})

/** With credentials browsers take `*` for a name (Fetch standard): it would allow nothing. */
export const cors: Rule = described(
  rule({ ...keys.schema, required: ['origins'] }, (value, path, report) => {
    keys(value, path, report)
    if (!isMap(value)) return
    if (!Object.hasOwn(value, 'origins'))
      report.missing(path, 'origins', '"*" or a list of origins')
    if (value.credentials !== true) return
    for (const key of withoutCredentials) {
      if (value[key] !== '*') continue
      report.issue(pointer(path, key), 'expected a list: browsers do not take "*" with credentials')
    }
  }),
  'Which pages of other origins may call the version, in place of gateway.cors.',
)
