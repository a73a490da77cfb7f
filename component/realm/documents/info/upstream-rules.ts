/** The keys of an upstream in `info.upstreams`, and what loading a realm document checks of them. */
import { normalize } from 'node:path'
import { proxyProblem } from '#component/action/connections/egress.ts'
import { pointer } from '#component/codec/json.ts'
import { closedMap } from '#component/spec/closed-map.ts'
import {
  boolean,
  described,
  integer,
  listOf,
  must,
  oneOf,
  type Rule,
  rule,
  text,
} from '#component/spec/rules.ts'
import { fixedPathProblem, upstreamPathProblem } from '#component/spec/syntax.ts'
import { isCookieName } from '#component/syntax/cookie-field.ts'
import { originProblem, readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap, memberOf } from '#component/syntax/values.ts'
import {
  balances,
  socketPathOf,
  upstreamDefaults,
  upstreamLimits,
  upstreamName,
} from '#component/upstreams/settings.ts'
import { auth, basicName, certificates, secret } from './auth-rules.ts'

const { targets: maxTargets, upstreams: maxUpstreams } = upstreamLimits

/** Why a text is no path of a socket. `sun_path` has 108 bytes on Linux, the last of which is 0. */
function socketProblem(path: string): string | undefined {
  if (!path.startsWith('/') || normalize(path) !== path || path.endsWith('/')) {
    return 'the path of the socket is not absolute and normal'
  }
  return Buffer.byteLength(path) > 107 ? 'the path of the socket is too long' : undefined
}

/** The text before an @ may be a password: no value is shown. */
const url = text(
  'an origin, http://host[:port] or https://host[:port], or unix:/path',
  (value) => {
    const path = socketPathOf(value)
    if (path !== undefined) return socketProblem(path)
    return /^https?:\/\//i.test(value) ? originProblem(value) : 'it begins with neither scheme'
  },
  'hidden',
)

const groupProblem = (name: string): string | undefined =>
  upstreamName.test(name) ? undefined : 'it has 1 to 64 letters, digits, "-", "_" and "."'

/** A closed map, of whose keys some must be there. */
const withRequired = (known: Rule, required: Readonly<Record<string, string>>): Rule =>
  rule({ ...known.schema, required: Object.keys(required) }, (value, path, report) => {
    known(value, path, report)
    if (!isMap(value)) return
    for (const [key, wanted] of Object.entries(required)) {
      if (!Object.hasOwn(value, key)) report.missing(path, key, wanted)
    }
  })

/** The password stands apart from the URL, which is shown. */
const proxyUrl = text('a proxy, http://host[:port] or https://host[:port]', proxyProblem, 'hidden')

const proxyMap = withRequired(
  closedMap('a map such as {url, username, password}', {
    url: described(proxyUrl, 'Where the proxy is.', { examples: ['https://proxy.internal:3129'] }),
    username: described(basicName, 'The name of the gateway at the proxy.', {
      examples: ['gateway'],
    }),
    password: secret('The password of the gateway at the proxy'),
    ca: described(
      certificates,
      'The certificates that a proxy by https is trusted by in place of those of the system: a PEM, `{env: NAME}` or `{file: …}`.',
      { examples: [{ file: '/etc/wamp-gateway/company-ca.pem' }] },
    ),
  }),
  { url: 'where the proxy is' },
)

const proxy: Rule = rule({ anyOf: [proxyUrl.schema, proxyMap.schema] }, (value, path, report) => {
  if (isMap(value)) proxyMap(value, path, report)
  else proxyUrl(value, path, report)
})

const target: Rule = described(
  withRequired(
    closedMap('a map such as {url}', {
      url: described(
        url,
        'Where the target is: scheme, host and port; or `unix:/path`, in a folder that `forward.unix_sockets` of the configuration lists.',
        {
          examples: ['http://10.0.0.5:8080'],
        },
      ),
      weight: described(
        integer(0, upstreamLimits.weight),
        'Its part of the requests, beside those of the others. 0: it is chosen by its `group` only.',
        { default: upstreamDefaults.weight, examples: [3] },
      ),
      group: described(
        text('the name of a group', groupProblem),
        'A name for one or more targets. Forwards whose `group` has this value go to them.',
        { examples: ['canary'] },
      ),
      backup: described(boolean, '`true`: it gets requests while no other target can be reached.', {
        default: false,
        examples: [true],
      }),
      drain: described(boolean, '`true`: it gets nothing new; what is under way goes on.', {
        default: false,
        examples: [true],
      }),
    }),
    { url: 'the origin of the target' },
  ),
  'One copy of a backend. An unknown key is an error.',
  { title: 'Target' },
)

const targetList = listOf(target, `a list of 1 to ${maxTargets} targets`)

const targets: Rule = rule(
  { ...targetList.schema, maxItems: maxTargets },
  (value, path, report) => {
    if (Array.isArray(value) && value.length > maxTargets) {
      return report.issue(path, `expected 1 to ${maxTargets} targets, got ${value.length}`)
    }
    targetList(value, path, report)
    const seen = new Set<unknown>()
    for (const [index, one] of (Array.isArray(value) ? value : []).entries()) {
      const written = memberOf(one, 'url')
      if (written !== undefined && seen.has(written)) {
        report.issue(
          pointer(path, index, 'url'),
          'another target has this url: give one a greater weight',
        )
      }
      seen.add(written)
    }
  },
)

const statusList = listOf(integer(200, 599, ' as a status of HTTP'), 'a list of statuses')

const active: Rule = described(
  withRequired(
    closedMap('a map such as {path, interval}', {
      path: described(
        text('a path that begins with "/"', upstreamPathProblem),
        'What is asked for, with GET.',
        {
          examples: ['/healthz'],
        },
      ),
      interval: described(
        integer(1, 3600, ' of seconds'),
        'Seconds from the begin of one check to the next. A check of a target that is up and fails is repeated after a second.',
        {
          default: upstreamDefaults.active.interval,
          examples: [10],
        },
      ),
      timeout: described(integer(1, 60, ' of seconds'), 'How long a response may take. Seconds.', {
        default: upstreamDefaults.active.timeout,
        examples: [1],
      }),
      status: described(
        statusList,
        'The statuses that say that the target is well. Default: 200 to 299.',
        {
          examples: [[200, 204]],
        },
      ),
      up: described(integer(1, 100), 'So many good responses in a row bring a target back.', {
        default: upstreamDefaults.active.up,
        examples: [1],
      }),
      down: described(integer(1, 100), 'So many bad ones take it out, also the last one.', {
        default: upstreamDefaults.active.down,
        examples: [2],
      }),
    }),
    { path: 'what is asked for' },
  ),
  'How targets are asked whether they are there. An unknown key is an error.',
  { title: 'Check' },
)

const health: Rule = described(
  closedMap('a map such as {failures, out, active}', {
    active: described(active, 'Whether, and how, each target is asked from time to time.', {
      examples: [{ path: '/healthz' }],
    }),
    failures: described(
      integer(1, 1000),
      'So many failures in a row take a target out, unless it is the last one that is up.',
      { default: upstreamDefaults.health.failures, examples: [3] },
    ),
    out: described(
      integer(1, 300, ' of seconds'),
      'How long it is out, before one request is sent to it as a probe; doubled with each probe that fails, up to 300. Seconds.',
      { default: upstreamDefaults.health.out, examples: [5] },
    ),
  }),
  'When a target that fails gets no requests for a while. An unknown key is an error.',
  { title: 'Health' },
)

/** Why a text is no value of `host_header`. */
function hostProblem(value: string): string | undefined {
  const origin = readOrigin(value)
  if (value.includes('://')) return 'it has no scheme'
  return 'problem' in origin ? origin.problem : undefined
}

/** A text of PEM, or where it is. */
const pem = (what: string): Rule =>
  must(`${what} in PEM: a text, {env: NAME} or {file: …}`, (value) => {
    if (typeof value === 'string') return value !== ''
    const [key = '', ...others] = isMap(value) ? Object.keys(value) : []
    const isReference = others.length === 0 && ['env', 'file', 'sealed'].includes(key)
    return isReference && typeof memberOf(value, key) === 'string'
  })

const ofTls = closedMap('a map such as {ca, cert, private_key, server_name}', {
  ca: described(
    pem('certificates'),
    'The certificates that targets are trusted by, in place of those of the system: PEM, as a text, `{env: NAME}` or `{file: …}`. Read for each new connection.',
    { examples: [{ file: '/etc/wamp-gateway/company-ca.pem' }] },
  ),
  cert: described(
    pem('a certificate'),
    'The certificate that the gateway shows, with those between it and its authority.',
    { examples: [{ file: '/etc/wamp-gateway/client.pem' }] },
  ),
  private_key: described(
    pem('a key'),
    'The key of `cert`. A load without it keeps the stored one, unless it names a new address for it.',
    { examples: [{ file: '/etc/wamp-gateway/client.key' }] },
  ),
  server_name: described(
    text('the name of a host', hostProblem),
    'The name that the certificate of a target must have. Default: that of `host_header`, where it is one, else that of the `url`.',
    { examples: ['billing.internal'] },
  ),
})

const tls: Rule = described(
  rule(ofTls.schema, (value, path, report) => {
    ofTls(value, path, report)
    const hasCert = memberOf(value, 'cert') !== undefined
    if (memberOf(value, 'private_key') !== undefined && !hasCert) {
      report.missing(path, 'cert', 'the certificate of private_key')
    }
  }),
  'How targets under https are trusted, and what they are shown. Nothing switches the verification off. An unknown key is an error.',
  { title: 'TLS' },
)

const cookieName = text('the name of a cookie', (value) =>
  isCookieName(value) ? undefined : 'a cookie cannot have this name',
)

const sticky: Rule = described(
  withRequired(
    closedMap('a map such as {cookie, max_age}', {
      cookie: described(
        cookieName,
        'Its name. Its value is a keyed digest of the target, good on every node; targets never get it.',
        {
          examples: ['billing'],
        },
      ),
      max_age: described(
        integer(1, 34_560_000, ' of seconds'),
        'How long it is kept. Seconds. Default: as long as the browser runs.',
        { examples: [3600] },
      ),
    }),
    { cookie: 'the name of the cookie' },
  ),
  'The cookie by which a client stays with its target while that can be reached. An unknown key is an error.',
  { title: 'Sticky' },
)

/** The keys of an upstream: one row each. */
const keys = {
  targets: described(targets, `The copies of the backend, 1 to ${maxTargets}.`, {
    examples: [[{ url: 'http://10.0.0.5:8080' }, { url: 'http://10.0.0.6:8080' }]],
  }),
  auth: described(
    auth,
    'What the gateway proves to the targets who asks with: see [credentials](upstreams.md#credentials). `null`: nothing.',
  ),
  balance: described(
    oneOf(balances),
    'How a target is chosen: `round_robin`, in turn by their weights; `least_pending`, the less busy of two that are drawn by their weights; `hash`, by the `hash` of the forward, the same on every node.',
    { default: upstreamDefaults.balance, examples: ['least_pending'] },
  ),
  failover: described(
    integer(0, 5),
    'How many other targets are tried at once where one cannot be reached, or has lost the request. What was sent is sent again for idempotent methods only.',
    { default: upstreamDefaults.failover, examples: [2] },
  ),
  retry_budget: described(
    must('a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1, {
      type: 'number',
      minimum: 0,
      maximum: 1,
    }),
    'The share of the requests of 10 s, and 10 more, that may be sent twice, by `failover` or the `retries` of forwards.',
    { default: upstreamDefaults.retry_budget, examples: [0.1] },
  ),
  health: described(health, 'When a target that fails gets no requests for a while.', {
    examples: [{ failures: 3 }],
  }),
  addresses: described(
    oneOf(['any', 'each']),
    '`any`: a target is one, whatever addresses its name has. `each`: each address of its name, of the family of the first, is a target with its weight.',
    { default: upstreamDefaults.addresses, examples: ['each'] },
  ),
  resolve_interval: described(
    integer(1, 3600, ' of seconds'),
    'Of `each`: how often the addresses are asked for. Seconds.',
    { default: upstreamDefaults.resolve_interval, examples: [30] },
  ),
  host_header: described(
    text('target, request, or the name of a host', hostProblem),
    'The `Host` that a target gets: `target`, that of its `url`; `request`, that of the client; or a name, which is that in TLS as well.',
    { default: upstreamDefaults.host_header, examples: ['billing.internal'] },
  ),
  base_path: described(
    text('a path without bindings and brackets', fixedPathProblem),
    'Goes before the `path` of the forward.',
    { examples: ['/api/v2'] },
  ),
  tls: described(tls, 'How targets under https are trusted, and what they are shown.', {
    examples: [{ ca: { file: '/etc/wamp-gateway/company-ca.pem' } }],
  }),
  sticky: described(sticky, 'The cookie by which a client stays with its target.', {
    examples: [{ cookie: 'billing', max_age: 3600 }],
  }),
  proxy: described(
    proxy,
    'The proxy by which its connections leave, and the requests for its tokens, in place of `egress.proxy` of the configuration: `http://host[:port]` or `https://host[:port]`, or a map `{url, username, password, ca}`. It resolves the names of targets.',
    {
      examples: [
        'http://proxy.internal:3128',
        {
          url: 'https://proxy.internal:3129',
          username: 'gateway',
          password: { file: '/etc/wamp-gateway/proxy-password' },
        },
      ],
    },
  ),
  slow_start: described(
    integer(0, 3600, ' of seconds'),
    'How long the weight of a target that is new or back grows, from a tenth. Seconds.',
    { default: upstreamDefaults.slow_start, examples: [30] },
  ),
  drain_timeout: described(
    integer(0, 3600, ' of seconds'),
    'How long what runs on a target goes on that a load has removed. Seconds.',
    { default: upstreamDefaults.drain_timeout, examples: [300] },
  ),
  connections: described(
    integer(1, 10_000),
    'Connections to a target at once, in each process of a gateway; more requests wait for one.',
    { default: upstreamDefaults.connections, examples: [32] },
  ),
  max_pending: described(
    integer(1, 1_000_000),
    'Requests under way at a target, in each process, beyond which another one is chosen; 503 where all have as many. Default: any number.',
    { examples: [100] },
  ),
} as const satisfies Readonly<Record<string, Rule>>

/** One upstream. */
const upstream: Rule = described(
  withRequired(closedMap('a map such as {targets}', keys), {
    targets: 'the copies of the backend',
  }),
  'A backend with one or more copies, under `info.upstreams.<name>`. The `upstream` of a forward names it: see [upstreams](upstreams.md). An unknown key is an error.',
  { title: 'Upstream' },
)

/** All of a realm. */
export const upstreams: Rule = rule(
  {
    type: 'object',
    propertyNames: { pattern: upstreamName.source },
    maxProperties: maxUpstreams,
    additionalProperties: upstream.schema,
  },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of names to upstreams', value)
    const entries = Object.entries(value)
    if (entries.length > maxUpstreams) {
      return report.issue(path, `expected at most ${maxUpstreams} upstreams, got ${entries.length}`)
    }
    for (const [name, one] of entries) {
      const at = pointer(path, name)
      if (upstreamName.test(name)) upstream(one, at, report)
      else report.issue(at, 'expected a name of 1 to 64 letters, digits, "-", "_" and "."')
    }
  },
)
