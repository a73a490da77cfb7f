/** The table of rooms: what each product folder may import, and which packages enter through it. */
import type { RoomRule } from './import-rules.ts'

/** What defines management procedures, and what they call. */
const ofDefinitions = [
  'delivery',
  'delivery/endpoints',
  'examples',
  'openapi',
  'realm',
  'realm/documents',
  'registry',
  'replica',
  'token',
  'upstreams',
  'wamp',
]

/** Room to rule. Every product folder has a row; that of `NAME/*` is the row of each folder in it without one of its own. */
export const rooms: Readonly<Record<string, RoomRule>> = {
  component: { folders: 'all', packages: ['pino'] },
  'component/cli/start': { folders: 'all', packages: [] },
  'component/cli/contract': { folders: 'all', packages: [] },
  'component/cli/folder': {
    folders: ['cli', 'realm/documents', 'replica', 'spec', 'terminal'],
    packages: ['diff'],
  },
  'component/cli/realms': {
    folders: ['cli', 'procedures/definition', 'realm/documents'],
    packages: [],
  },
  'component/cli/new': { folders: ['cli'], packages: [] },
  'component/cli': { folders: 'all', packages: ['pino'] },
  'component/config': {
    folders: ['action/connections', 'examples', 'expression', 'store', 'wamp/routers'],
    packages: ['ajv', 'yaml'],
  },
  'component/wiring/console': { folders: 'all', packages: [] },
  'component/wiring/deliveries': { folders: 'all', packages: [] },
  'component/wiring/documents': { folders: 'all', packages: [] },
  'component/wiring/explain': { folders: 'all', packages: [] },
  'component/wiring/procedures': { folders: 'all', packages: [] },
  'component/wiring/logins': { folders: 'all', packages: [] },
  'component/wiring': { folders: 'all', packages: [] },
  'component/wiring/status': { folders: 'all', packages: [] },
  'component/wiring/streams': { folders: 'all', packages: [] },
  'component/wiring/telemetry': { folders: 'all', packages: [] },
  'component/wiring/tracing': { folders: 'all', packages: [] },
  'component/reload': { folders: 'all', packages: [] },
  'component/workers': { folders: 'all', packages: ['pino'] },
  http: { folders: 'all', packages: [] },
  'http/body': { folders: ['action', 'gateway', 'limits'], packages: ['multipasta', 'raw-body'] },
  'http/console': { folders: 'all', packages: ['@koa/router'] },
  'http/limits': { folders: ['http'], packages: ['lru-cache'] },
  'http/log': { folders: ['explain/redaction', 'gateway', 'http', 'telemetry'], packages: [] },
  'http/management': {
    folders: 'all',
    packages: ['@koa/router', '@prometheus-io/client', 'koa', 'koa-body'],
  },
  'http/transport': { folders: ['http', 'http/body', 'http/limits', 'stream'], packages: [] },
  'http/tls': { folders: ['config', 'security'], packages: ['lru-cache', 'pkijs'] },
  'http/rehearsal': {
    folders: [
      ...['action', 'action/*', 'explain', 'gateway', 'http', 'http/transport', 'policies/*'],
      'stream',
    ],
    packages: [],
  },
  'http/oauth': { folders: 'all', packages: [] },
  'http/oidc': { folders: 'all', packages: [] },
  'http/openapi': { folders: 'all', packages: [] },
  procedures: { folders: ['procedures/definition', ...ofDefinitions], packages: [] },
  'procedures/definition': { folders: ofDefinitions, packages: [] },
  'component/registry': {
    folders: ['compile', 'gateway', 'replica', 'routes', 'spec', 'store', 'terminal'],
    packages: [],
  },
  'component/gateway/sockets': {
    folders: ['action', 'gateway', 'gateway/streams', 'routes', 'security', 'stream'],
    packages: [],
  },
  'component/gateway/streams': {
    folders: [
      ...['action', 'expression', 'gateway', 'gateway/schemas', 'routes', 'security'],
      ...['stream', 'wamp'],
    ],
    packages: [],
  },
  'component/gateway/tools': {
    folders: [
      'action',
      'gateway',
      'gateway/schemas',
      'routes',
      'schema',
      'security',
      'stream',
      'tool',
    ],
    packages: [],
  },
  'component/tool': { folders: [], packages: [] },
  'component/gateway/invocations': {
    folders: [
      ...['action', 'expression', 'gateway', 'gateway/schemas', 'routes', 'schema', 'telemetry'],
    ],
    packages: [],
  },
  'component/gateway/schemas': { folders: ['schema', 'telemetry'], packages: [] },
  'component/gateway': {
    folders: [
      'action',
      'action/watching',
      'expression',
      'gateway/invocations',
      'gateway/schemas',
      'gateway/sockets',
      'gateway/streams',
      'gateway/tools',
      'policies',
      'routes',
      'schema',
      'security',
      'spec',
      'stream',
      'telemetry',
      'tool',
    ],
    packages: [],
  },
  'component/compile/security': {
    folders: [
      ...['expression', 'gateway', 'policies', 'realm/documents/info', 'security', 'security/*'],
      'spec',
    ],
    packages: [],
  },
  'component/compile/procedures': {
    folders: [
      ...['compile', 'compile/schemas', 'compile/security', 'expression', 'gateway'],
      ...['policies', 'routes', 'spec'],
    ],
    packages: [],
  },
  'component/compile/kept': {
    folders: ['compile', 'gateway', 'policies', 'routes', 'spec'],
    packages: [],
  },
  'component/compile/streams': {
    folders: ['action', 'compile', 'expression', 'gateway', 'spec'],
    packages: [],
  },
  'component/compile/tools': {
    folders: ['compile', 'compile/schemas', 'gateway', 'schema', 'spec', 'spec/tools', 'tool'],
    packages: [],
  },
  'component/compile/schemas': {
    folders: [
      ...['action', 'compile', 'expression', 'gateway', 'gateway/schemas', 'routes', 'schema'],
      'spec',
    ],
    packages: [],
  },
  'component/openapi': {
    folders: [
      ...[
        'action',
        'expression/probe',
        'gateway',
        'policies',
        'routes',
        'schema',
        'security',
        'spec',
      ],
      'token',
    ],
    packages: ['lru-cache'],
  },
  'component/explain/explanation': {
    folders: [
      'delivery/requests',
      'action/*',
      'action',
      'compile',
      'explain',
      'explain/near-misses',
      'explain/redaction',
      'gateway',
      'policies',
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
      'action/*',
      'action/watching',
      'policies',
      'compile/deliveries',
      'compile/procedures',
      'compile/schemas',
      'compile/security',
      'compile/streams',
      'compile/tools',
      'expression',
      'expression/probe',
      'gateway',
      'gateway/schemas',
      'gateway/tools',
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
      'action/*',
      'action/connections',
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
      ...['action', 'action/*', 'action/connections', 'action/watching', 'compile'],
      'expression',
      ...['expression/probe', 'gateway', 'gateway/invocations', 'gateway/schemas', 'gateway/tools'],
      ...[
        'policies',
        'policies/*',
        'routes',
        'schema',
        'security',
        'spec',
        'stream',
        'tool',
        'upstreams',
        'wamp',
      ],
    ],
    packages: [],
  },
  'component/examples': {
    folders: [
      ...['action', 'action/*', 'compile', 'delivery', 'delivery/requests', 'explain', 'gateway'],
      ...['routes', 'security', 'spec'],
    ],
    packages: [],
  },
  'component/policies': {
    folders: ['expression', 'gateway', 'policies/*', 'routes', 'spec', 'sync', 'wamp'],
    packages: [],
  },
  'component/policies/*': {
    folders: [
      ...['action', 'expression', 'gateway', 'policies', 'policies/*', 'routes', 'spec', 'store'],
      ...['stream', 'sync', 'wamp'],
    ],
    packages: ['lru-cache'],
  },
  'component/routes': { folders: [], packages: [] },
  'component/security': {
    folders: ['realm', 'realm/documents', 'security/*', 'spec', 'token'],
    packages: ['lru-cache'],
  },
  'component/security/*': {
    folders: [
      ...['issuer', 'oidc', 'oidc/kept', 'realm', 'realm/documents', 'realm/documents/info'],
      ...['security', 'spec', 'token', 'wamp'],
    ],
    packages: ['lru-cache'],
  },
  'component/issuer': {
    folders: [
      ...['oidc', 'oidc/client', 'realm', 'realm/documents', 'realm/documents/info', 'spec'],
      'token',
    ],
    packages: ['jose'],
  },
  'component/credentials': {
    folders: [
      ...['action/connections', 'oidc', 'oidc/client', 'realm', 'realm/documents/info', 'token'],
      'upstreams',
    ],
    packages: ['jose', 'lru-cache'],
  },
  'component/oidc/client': {
    folders: ['oidc', 'realm/documents/info'],
    packages: ['openid-client'],
  },
  'component/oidc/kept': {
    folders: ['oidc', 'oidc/client', 'realm', 'store', 'token'],
    packages: ['lru-cache'],
  },
  'component/oidc': {
    folders: [
      ...['oidc/client', 'oidc/kept', 'realm', 'realm/documents', 'realm/documents/info'],
      ...['replica', 'spec', 'store', 'token'],
    ],
    packages: ['jose', 'lru-cache', 'openid-client'],
  },
  'component/token': { folders: ['replica', 'store'], packages: ['jose', 'lru-cache'] },
  'component/realm': { folders: ['realm/documents', 'replica', 'router', 'wamp'], packages: [] },
  'component/openapi/import': {
    folders: ['action', 'schema', 'security', 'spec'],
    packages: [],
  },
  'component/realm/documents': { folders: ['realm', 'realm/documents/info', 'spec'], packages: [] },
  'component/realm/documents/info': {
    folders: ['action/connections', 'realm/documents', 'spec', 'token', 'upstreams'],
    packages: [],
  },
  'component/upstreams': { folders: ['action', 'action/connections'], packages: [] },
  'component/stream': { folders: ['wamp'], packages: [] },
  'component/compile/deliveries': {
    folders: [
      ...['action/*', 'compile', 'delivery', 'delivery/requests', 'expression', 'gateway'],
      ...['routes', 'spec'],
    ],
    packages: [],
  },
  'component/delivery/requests': {
    folders: [
      ...['action', 'action/*', 'action/connections', 'action/watching', 'delivery'],
      ...['delivery/endpoints', 'expression', 'gateway', 'realm', 'realm/documents/info'],
      ...['routes', 'security/*'],
    ],
    packages: [],
  },
  'component/delivery/endpoints': {
    folders: ['action/connections', 'delivery', 'replica'],
    packages: [],
  },
  'component/delivery': { folders: ['store', 'stream', 'wamp'], packages: [] },
  'component/action': {
    folders: [
      ...['action/connections', 'action/watching', 'action/*', 'spec', 'stream', 'telemetry'],
      'wamp',
    ],
    packages: ['undici'],
  },
  'component/action/files': { folders: ['action', 'spec'], packages: ['mime'] },
  'component/action/*': {
    folders: [
      ...['action', 'action/connections', 'action/watching', 'spec', 'spec/streams', 'stream'],
      ...['telemetry', 'upstreams', 'wamp'],
    ],
    packages: ['undici'],
  },
  'component/action/connections': { folders: [], packages: ['undici'] },
  'component/action/watching': { folders: ['telemetry', 'wamp'], packages: [] },
  'component/sync': { folders: ['replica', 'wamp'], packages: [] },
  'component/spec/examples': { folders: ['spec'], packages: [] },
  'component/spec/streams': { folders: ['spec'], packages: [] },
  'component/spec/tools': { folders: ['spec'], packages: [] },
  'component/spec': {
    folders: [
      'action',
      'action/*',
      'expression',
      'schema',
      'security',
      'spec/examples',
      'policies',
      'routes',
      'spec/streams',
      'spec/tools',
      'telemetry',
    ],
    packages: [],
  },
  'component/schema': {
    folders: ['expression', 'schema/format', 'schema/pattern'],
    packages: ['ajv', 'lru-cache'],
  },
  'component/schema/format': { folders: [], packages: ['ajv-formats', 'idn-hostname'] },
  'component/schema/pattern': {
    folders: [],
    packages: ['@eslint-community/regexpp', 'lru-cache', 're2js'],
  },
  'component/wamp/forwarding': { folders: ['wamp', 'wamp/channel'], packages: [] },
  'component/wamp/registrations': { folders: ['wamp'], packages: [] },
  'component/wamp/routers': { folders: [], packages: [] },
  'component/wamp/watch': { folders: ['telemetry', 'wamp'], packages: [] },
  'component/wamp': {
    folders: [
      'telemetry',
      'wamp/channel',
      'wamp/forwarding',
      'wamp/registrations',
      'wamp/routers',
      'wamp/watch',
    ],
    packages: ['autobahn', 'wampy'],
  },
  'component/wamp/channel': { folders: ['wamp', 'wamp/routers'], packages: ['ws'] },
  'component/router/limits': { folders: [], packages: [] },
  'component/router/patterns': { folders: [], packages: [] },
  'component/router/rawsocket': { folders: ['router/limits', 'wamp/channel'], packages: [] },
  'component/router': {
    folders: [
      'router/limits',
      'router/patterns',
      'router/rawsocket',
      'telemetry',
      'wamp',
      'wamp/channel',
    ],
    packages: ['ws'],
  },
  'component/store/sqlite': { folders: ['store'], packages: ['kysely'] },
  'component/store': { folders: ['replica', 'store/sqlite'], packages: ['kysely', 'pg'] },
  'component/telemetry/otlp': {
    folders: ['telemetry'],
    packages: ['@opentelemetry/exporter-trace-otlp-proto'],
  },
  'component/telemetry': { folders: [], packages: [] },
  'component/terminal': { folders: [], packages: [] },
  'component/syntax': { folders: [], packages: [] },
  'component/codec': { folders: [], packages: ['@msgpack/msgpack', 'cbor-x', 'yaml'] },
  'component/limits': { folders: [], packages: ['lru-cache'] },
  'component/metrics': { folders: [], packages: [] },
  'component/replica': { folders: [], packages: [] },
  'component/expression/probe': { folders: ['expression'], packages: [] },
  'component/expression': { folders: ['expression/functions', 'expression/probe'], packages: [] },
  'component/expression/functions': { folders: ['expression'], packages: [] },
}

/** The key of the row that a folder has in the table, or would have. */
export const roomOf = (folder: string): string =>
  Object.hasOwn(rooms, folder) || !Object.hasOwn(rooms, parentOf(folder))
    ? folder
    : parentOf(folder)

const parentOf = (folder: string): string => `${folder.slice(0, folder.lastIndexOf('/'))}/*`
