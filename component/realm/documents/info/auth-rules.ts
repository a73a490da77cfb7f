/** The keys of `auth` of an upstream, one row for each type, and what loading a realm document checks of them. */
import { pointer } from '#component/codec/json.ts'
import { name, oneOrMore, orNull } from '#component/realm/documents/field-rules.ts'
import { closedMap } from '#component/spec/closed-map.ts'
import type { Report } from '#component/spec/report.ts'
import { described, must, oneOf, type Rule, rule, string, text } from '#component/spec/rules.ts'
import { isBasicName } from '#component/syntax/basic-authorization.ts'
import { fieldValueProblem, headerNameProblem } from '#component/syntax/http-field.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { isPlainUrl, isWebUrl } from '#component/syntax/web-url.ts'
import { clientAuthentications } from './provider-settings.ts'
import { isSecret, secretText, secretWords } from './secret-value.ts'

/** One type. */
interface AuthKind {
  readonly type: string
  /** The title of its section in docs/realm.md. */
  readonly title: string
  readonly description: string
  readonly keys: Readonly<Record<string, Rule>>
  readonly required: Readonly<Record<string, string>>
  /** The keys of its secrets, of which it has one. */
  readonly secrets: readonly string[]
  /** Reports what no rule of a single key can. */
  check?(auth: JsonMap, path: string, report: Report): void
}

/** Fields by which upstreams know where and whom a request came from, or what it means: a secret is none of them. */
const ownFields: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'content-encoding', 'content-type', 'cookie', 'date', 'forwarded'],
  ...['client-cert', 'client-cert-chain', 'range', 'traceparent', 'tracestate', 'via'],
])

function fieldProblem(field: string): string | undefined {
  const lower = field.toLowerCase()
  const isOwn = ownFields.has(lower) || lower.startsWith('x-forwarded-')
  return headerNameProblem(field) ?? (isOwn ? 'it says something else of the request' : undefined)
}

/** A key of a secret that is sent. @param what its sentence begins with this */
export const secret = (what: string): Rule =>
  described(
    rule({}, (value, path, report) => {
      // never shown
      if (!isSecret(value)) report.issue(path, 'expected a secret')
    }),
    `${what}: ${secretWords}. A load without it keeps the stored one as long as it goes nowhere else; \`null\` removes it.`,
    { examples: [{ env: 'BILLING_SECRET' }] },
  )

const serverUrl = (isAllowed: (value: unknown) => boolean): Rule => {
  const known = must('an absolute URL of http or https', isAllowed, { type: 'string' })
  return rule(known.schema, (value, path, report) => {
    known(value, path, report)
    const origin = typeof value === 'string' ? URL.parse(value)?.origin : undefined
    const problem = origin === undefined ? undefined : originProblem(origin)
    if (problem !== undefined) report.issue(path, problem)
    else if (origin?.startsWith('http:')) {
      report.warn(path, 'by http, the secret and the tokens are sent in the clear: use https')
    }
  })
}

/** The name of a user for Basic. */
export const basicName = must(
  'a text without colons and control characters',
  (value) => typeof value === 'string' && isBasicName(value),
  { type: 'string' },
)

const isAbsoluteUri = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && !value.includes('#')

const uri = must('an absolute URI without a fragment', isAbsoluteUri, { type: 'string' })

/** Certificates that somebody is trusted by. */
export const certificates = must(
  'certificates in PEM, {env: NAME} or {file: …}',
  (value) =>
    isMap(value) ? isSecret(value) : secretText(value)?.includes('BEGIN CERTIFICATE') === true,
  {},
)

/** Of an authorization server, and what it is asked for. */
const tokenKeys = {
  token_url: described(serverUrl(isWebUrl), 'The token endpoint, or `issuer`.', {
    examples: ['https://id.example.com/token'],
  }),
  issuer: described(
    serverUrl(isPlainUrl),
    'The authorization server, whose metadata name its token endpoint: `<issuer>/.well-known/openid-configuration`.',
    { examples: ['https://id.example.com'] },
  ),
  client_id: described(name, 'The client that the gateway is at the authorization server.', {
    examples: ['gateway'],
  }),
  client_secret: secret('The secret of the client, or `private_key`'),
  private_key: secret(
    'The key that the client signs with (`private_key_jwt`), a PEM of PKCS #8 with a key of P-256, Ed25519, or RSA of 2048 bits or more',
  ),
  client_authentication: described(
    oneOf(clientAuthentications.filter((method) => method !== 'none')),
    'How the client proves who it is: `basic`, `post` or `private_key_jwt`. Default: by its key; else what the metadata name, `basic` without metadata.',
    { examples: ['post'] },
  ),
  scope: described(orNull(string), 'The scopes that are asked for.', {
    examples: ['invoices.read invoices.write'],
  }),
  audience: described(
    oneOrMore(name),
    'The parameter `audience`: the service that the token is for, by its name at the server.',
    { examples: ['billing'] },
  ),
  resource: described(
    oneOrMore(uri),
    'The parameter `resource` (RFC 8707): the service that the token is for, by its address.',
    { examples: ['https://billing.example.com'] },
  ),
  ca: described(
    certificates,
    'The certificates that the authorization server is trusted by in place of those of the system: a PEM, `{env: NAME}` or `{file: …}`.',
    { examples: [{ file: '/etc/gw/ca.pem' }] },
  ),
} as const satisfies Readonly<Record<string, Rule>>

/** One of two keys. */
function either(
  auth: JsonMap,
  [first, second]: readonly [string, string],
  path: string,
  report: Report,
) {
  const has = (key: string) => (auth[key] ?? undefined) !== undefined
  if (has(first) && has(second)) {
    report.issue(pointer(path, second), `${first} is there, too: give only one of them`)
  }
  return has(first) || has(second)
}

function checkServer(auth: JsonMap, path: string, report: Report): void {
  if (!either(auth, ['token_url', 'issuer'], path, report)) {
    report.missing(path, 'token_url', 'the token endpoint, or issuer')
  }
  either(auth, ['client_secret', 'private_key'], path, report)
  const { client_authentication: method } = auth
  const [wanted, other] =
    method === 'private_key_jwt'
      ? ['private_key', 'client_secret']
      : ['client_secret', 'private_key']
  if (typeof method === 'string' && (auth[other] ?? undefined) !== undefined) {
    report.issue(pointer(path, 'client_authentication'), `${method} needs ${wanted}, not ${other}`)
  }
}

const ofServer = {
  required: { client_id: 'the client that the gateway is' },
  secrets: ['client_secret', 'private_key'],
  check: checkServer,
} as const

const latin1 = (what: string): Rule =>
  rule(string.schema, (value, path, report) => {
    string(value, path, report)
    const problem = typeof value === 'string' ? fieldValueProblem(value) : undefined
    if (problem !== undefined) report.issue(path, `expected ${what}: ${problem}`)
  })

const authKinds: readonly AuthKind[] = [
  {
    type: 'header',
    title: 'HeaderAuth',
    description: 'A secret in a header field.',
    keys: {
      name: described(text('the name of a header field', fieldProblem), 'The field.', {
        examples: ['x-api-key'],
      }),
      prefix: described(
        latin1('a prefix'),
        'What stands before the secret, with the blank after it.',
        {
          default: '',
          examples: ['Bearer '],
        },
      ),
      secret: secret('The secret'),
    },
    required: { name: 'the name of the header field' },
    secrets: ['secret'],
    check({ secret: value }, path, report) {
      const problem = fieldValueProblem(secretText(value) ?? '')
      if (problem !== undefined) report.issue(pointer(path, 'secret'), problem)
    },
  },
  {
    type: 'query',
    title: 'QueryAuth',
    description: 'A secret in a parameter of the query, which is the last one.',
    keys: {
      name: described(name, 'The parameter.', { examples: ['key'] }),
      secret: secret('The secret'),
    },
    required: { name: 'the name of the parameter' },
    secrets: ['secret'],
  },
  {
    type: 'basic',
    title: 'BasicAuth',
    description: 'A name and a password in `Authorization: Basic` (RFC 7617).',
    keys: {
      username: described(basicName, 'The name.', { examples: ['gateway'] }),
      password: secret('The password'),
    },
    required: { username: 'the name' },
    secrets: ['password'],
  },
  {
    type: 'client_credentials',
    title: 'ClientCredentials',
    description:
      'A token of an authorization server for the gateway itself (RFC 6749 §4.4), in `Authorization: Bearer`: one for all requests.',
    keys: tokenKeys,
    ...ofServer,
  },
  {
    type: 'token_exchange',
    title: 'TokenExchange',
    description:
      'A token that the authorization server gives for that of the user (RFC 8693), in `Authorization: Bearer`: one for each user. The Bearer token of the path proves the user, or the token of the login at a provider with `pass_access_token`; all others get 403.',
    keys: {
      ...tokenKeys,
      subject_token_type: described(uri, 'The type of the token of the user.', {
        default: 'urn:ietf:params:oauth:token-type:access_token',
        examples: ['urn:ietf:params:oauth:token-type:jwt'],
      }),
      requested_token_type: described(
        uri,
        'The type of token that is asked for. Default: the server chooses.',
        {
          examples: ['urn:ietf:params:oauth:token-type:access_token'],
        },
      ),
    },
    ...ofServer,
  },
]

const types = authKinds.map(({ type }) => type)
const typeRule = oneOf(types)

const rules = new Map<unknown, Rule>(
  authKinds.map(({ type, title, description, keys, required, check }) => {
    const known = closedMap('a map such as {type}', {
      type: described(oneOf([type]), 'The type.', { examples: [type] }),
      ...keys,
    })
    const needed = Object.entries(required)
    const schema = { ...known.schema, required: ['type', ...Object.keys(required)] }
    const one = rule(schema, (value, path, report) => {
      known(value, path, report)
      if (!isMap(value)) return
      for (const [key, wanted] of needed) {
        if (!Object.hasOwn(value, key)) report.missing(path, key, wanted)
      }
      check?.(value, path, report)
    })
    return [type, described(one, `${description} An unknown key is an error.`, { title })]
  }),
)

/** `auth` of an upstream; `null`: none. */
export const auth: Rule = rule(
  { anyOf: [...[...rules.values()].map(({ schema }) => schema), { type: 'null' }] },
  (value, path, report) => {
    if (value === null) return
    if (!isMap(value)) return report.expected(path, 'a map such as {type}', value)
    if (!Object.hasOwn(value, 'type'))
      return report.missing(path, 'type', `one of ${types.join(', ')}`)
    const known = rules.get(value.type)
    if (known === undefined) return typeRule(value.type, pointer(path, 'type'), report)
    known(value, path, report)
  },
)

/** What is wrong with the secrets that an `auth` has once those that a load leaves out are kept: it has one. */
export function secretProblem(
  value: unknown,
): { readonly key: string; readonly message: string } | undefined {
  if (!isMap(value)) return undefined
  const { secrets = [] } = authKinds.find(({ type }) => type === value.type) ?? {}
  const [first, ...others] = secrets
  const [one, two] = secrets.filter((key) => (value[key] ?? undefined) !== undefined)
  if (first !== undefined && one === undefined) {
    return { key: first, message: ['expected a secret', ...others].join(', or ') }
  }
  if (two === undefined) return undefined
  return {
    key: two,
    message: `${one} is there or stored, too: null removes the one that is not meant`,
  }
}

/** What is wrong with the password of a proxy once one that a load leaves out is kept: it stands beside a name. */
export function proxySecretProblem(
  value: unknown,
): { readonly key: string; readonly message: string } | undefined {
  if (!isMap(value)) return undefined
  const [hasName, hasPassword] = ['username', 'password'].map((key) => Boolean(value[key] ?? false))
  if (hasName === hasPassword) return undefined
  return hasName
    ? { key: 'password', message: 'expected the password beside the name' }
    : {
        key: 'username',
        message:
          'a password is there or stored: expected its name beside it, or null for the password',
      }
}

/** Whether an `auth` takes a token that was given for that of the user. */
export const takesUserToken = (value: unknown): boolean =>
  isMap(value) && value.type === 'token_exchange'
