/** The table of rooms: what each product folder may import, and which packages enter through it. */

/** The words every part may use. */
const words = [
  'errors',
  'identity',
  'request',
  'log',
  'clock',
  'in-flight',
  'yielding',
  'secret-box',
  'login-counts',
  'login-refusal',
  'oidc-error',
].map((name) => `component/${name}.ts`)

/** The folders every part may use. */
const groundFloor = ['component/syntax', 'component/codec', 'component/limits', 'component/metrics']

/** What defines management procedures, and what they call. */
const ofDefinitions = [
  'examples',
  'openapi',
  'realm',
  'realm/documents',
  'registry',
  'replica',
  'token',
  'wamp',
]

/** What one room may import: rooms below `component/`, and npm packages. */
type RoomRule = { folders: readonly string[] | 'all'; packages: readonly string[] }

/** Room to rule. Every product folder has a row. */
export const rooms: Readonly<Record<string, RoomRule>> = {
  component: { folders: 'all', packages: ['pino'] },
  'component/cli/start': { folders: 'all', packages: [] },
  'component/cli/contract': { folders: 'all', packages: [] },
  'component/cli/folder': { folders: ['cli', 'replica', 'spec', 'terminal'], packages: [] },
  'component/cli': { folders: 'all', packages: ['pino'] },
  'component/config': { folders: ['examples', 'expression', 'store'], packages: ['ajv', 'yaml'] },
  'component/wiring/console': { folders: 'all', packages: [] },
  'component/wiring/explain': { folders: 'all', packages: [] },
  'component/wiring/logins': { folders: 'all', packages: [] },
  'component/wiring': { folders: 'all', packages: [] },
  'component/wiring/policies': { folders: 'all', packages: [] },
  'component/wiring/status': { folders: 'all', packages: [] },
  'component/wiring/streams': { folders: 'all', packages: [] },
  'component/wiring/telemetry': { folders: 'all', packages: [] },
  'component/wiring/tracing': { folders: 'all', packages: [] },
  'component/reload': { folders: 'all', packages: [] },
  'component/workers': { folders: 'all', packages: ['pino'] },
  http: { folders: 'all', packages: ['raw-body'] },
  'http/console': { folders: 'all', packages: ['@koa/router'] },
  'http/limits': { folders: ['http'], packages: [] },
  'http/log': { folders: ['gateway', 'http', 'telemetry'], packages: [] },
  'http/management': {
    folders: 'all',
    packages: ['@koa/router', '@prometheus-io/client', 'koa', 'koa-body'],
  },
  'http/tls': { folders: ['config', 'security'], packages: ['lru-cache', 'pkijs'] },
  'http/rehearsal': { folders: ['action', 'explain', 'gateway', 'http', 'stream'], packages: [] },
  'http/oauth': { folders: 'all', packages: [] },
  'http/oidc': { folders: 'all', packages: [] },
  'http/openapi': { folders: 'all', packages: [] },
  procedures: { folders: ['procedures/definition', ...ofDefinitions], packages: [] },
  'procedures/definition': { folders: ofDefinitions, packages: [] },
  'component/registry': {
    folders: ['compile', 'gateway', 'replica', 'routes', 'spec', 'store', 'terminal'],
    packages: [],
  },
  'component/gateway/streams': {
    folders: [
      'action',
      'expression',
      'gateway',
      'gateway/schemas',
      'routes',
      'security',
      'stream',
      'wamp',
    ],
    packages: [],
  },
  'component/gateway/policies': {
    folders: ['action', 'expression', 'gateway', 'policy', 'store'],
    packages: [],
  },
  'component/gateway/schemas': { folders: ['schema', 'telemetry'], packages: [] },
  'component/gateway': {
    folders: [
      'action',
      'action/watching',
      'expression',
      'gateway/policies',
      'gateway/schemas',
      'gateway/streams',
      'policy',
      'routes',
      'schema',
      'security',
      'spec',
      'stream',
      'telemetry',
    ],
    packages: [],
  },
  'component/compile/policies': {
    folders: ['expression', 'policy', 'spec', 'spec/policies'],
    packages: [],
  },
  'component/compile/security': {
    folders: ['gateway', 'realm/documents', 'security'],
    packages: [],
  },
  'component/compile/streams': {
    folders: ['action', 'compile', 'expression', 'gateway', 'spec'],
    packages: [],
  },
  'component/compile/schemas': {
    folders: ['compile', 'expression', 'gateway', 'gateway/schemas', 'routes', 'schema', 'spec'],
    packages: [],
  },
  'component/openapi': {
    folders: ['expression/probe', 'gateway', 'routes', 'schema', 'security', 'spec', 'token'],
    packages: ['lru-cache'],
  },
  'component/explain/explanation': {
    folders: [
      'action',
      'compile',
      'explain',
      'explain/near-misses',
      'explain/redaction',
      'gateway',
      'policy',
      'registry',
      'routes',
      'security',
      'spec',
      'spec/examples',
    ],
    packages: [],
  },
  'component/compile': {
    folders: [
      'action',
      'action/watching',
      'compile/policies',
      'compile/schemas',
      'compile/security',
      'compile/streams',
      'expression',
      'expression/probe',
      'gateway',
      'gateway/schemas',
      'routes',
      'schema',
      'security',
      'spec',
    ],
    packages: [],
  },
  'component/tracing': {
    folders: [
      'action',
      'action/watching',
      'compile',
      'explain',
      'explain/explanation',
      'explain/redaction',
      'gateway',
      'replica',
      'routes',
      'wamp',
    ],
    packages: ['lru-cache'],
  },
  'component/explain/near-misses': { folders: ['gateway', 'registry', 'routes'], packages: [] },
  'component/explain/redaction': { folders: [], packages: [] },
  'component/explain': {
    folders: [
      'action',
      'action/watching',
      'compile',
      'expression',
      'expression/probe',
      'gateway',
      'gateway/policies',
      'gateway/schemas',
      'policy',
      'routes',
      'security',
      'spec',
      'stream',
      'wamp',
    ],
    packages: [],
  },
  'component/examples': {
    folders: ['compile', 'explain', 'gateway', 'routes', 'security', 'spec'],
    packages: [],
  },
  'component/policy': { folders: ['expression'], packages: ['lru-cache'] },
  'component/routes': { folders: [], packages: [] },
  'component/security': {
    folders: ['issuer', 'oidc', 'realm', 'realm/documents', 'token', 'wamp'],
    packages: ['lru-cache', 'rate-limiter-flexible'],
  },
  'component/issuer': {
    folders: ['oidc', 'oidc/client', 'realm', 'realm/documents', 'spec', 'token'],
    packages: ['jose'],
  },
  'component/oidc/client': { folders: ['oidc', 'realm/documents'], packages: ['openid-client'] },
  'component/oidc': {
    folders: ['oidc/client', 'realm', 'realm/documents', 'replica', 'spec', 'store', 'token'],
    packages: ['jose', 'lru-cache', 'openid-client'],
  },
  'component/token': { folders: ['replica', 'store'], packages: ['jose', 'lru-cache'] },
  'component/realm': { folders: ['realm/documents', 'replica', 'router', 'wamp'], packages: [] },
  'component/realm/documents': { folders: ['realm', 'spec'], packages: [] },
  'component/openapi/import': { folders: [], packages: [] },
  'component/stream': { folders: ['wamp'], packages: [] },
  'component/action': {
    folders: ['action/watching', 'stream', 'telemetry', 'wamp'],
    packages: ['undici'],
  },
  'component/action/watching': { folders: ['telemetry', 'wamp'], packages: [] },
  'component/sync': { folders: ['replica', 'wamp'], packages: [] },
  'component/spec/policies': { folders: ['spec'], packages: [] },
  'component/spec/examples': { folders: ['spec'], packages: [] },
  'component/spec/streams': { folders: ['spec'], packages: [] },
  'component/spec': {
    folders: [
      'expression',
      'schema',
      'spec/examples',
      'spec/policies',
      'spec/streams',
      'telemetry',
    ],
    packages: [],
  },
  'component/schema': {
    folders: ['expression', 'schema/pattern'],
    packages: ['ajv', 'ajv-formats', 'lru-cache'],
  },
  'component/schema/pattern': {
    folders: [],
    packages: ['@eslint-community/regexpp', 'lru-cache', 're2js'],
  },
  'component/wamp/watch': { folders: ['telemetry', 'wamp'], packages: [] },
  'component/wamp': {
    folders: ['telemetry', 'wamp/channel', 'wamp/watch'],
    packages: ['autobahn', 'wampy'],
  },
  'component/wamp/channel': { folders: ['wamp'], packages: ['ws'] },
  'component/router/limits': { folders: [], packages: ['ws'] },
  'component/router': {
    folders: ['router/limits', 'telemetry', 'wamp', 'wamp/channel'],
    packages: ['ws'],
  },
  'component/store': { folders: ['replica'], packages: ['kysely', 'pg'] },
  'component/telemetry/otlp': {
    folders: ['telemetry'],
    packages: ['@opentelemetry/exporter-trace-otlp-proto'],
  },
  'component/telemetry': { folders: [], packages: [] },
  'component/terminal': { folders: [], packages: [] },
  'component/syntax': { folders: [], packages: [] },
  'component/codec': { folders: [], packages: ['@msgpack/msgpack', 'cbor-x', 'yaml'] },
  'component/limits': { folders: [], packages: [] },
  'component/metrics': { folders: [], packages: [] },
  'component/replica': { folders: [], packages: [] },
  'component/expression/probe': { folders: ['expression'], packages: [] },
  'component/expression': { folders: ['expression/functions', 'expression/probe'], packages: [] },
  'component/expression/functions': { folders: ['expression'], packages: [] },
}

/** The package of a bare specifier: `@koa/router/x` is `@koa/router`. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** The imports, out of `names`, that the rule of a room does not allow. */
export const importsAgainst = (rule: RoomRule, names: readonly string[]): string[] =>
  names.filter((name) => {
    if (name.startsWith('node:') || name.startsWith('./')) return false
    if (!name.startsWith('#')) return !rule.packages.includes(packageOf(name))
    if (rule.folders === 'all') return false
    const path = name.slice(1)
    const folder = path.slice(0, path.lastIndexOf('/'))
    if (words.includes(path) || groundFloor.includes(folder)) return false
    return !rule.folders.some((allowed) => [allowed, `component/${allowed}`].includes(folder))
  })
