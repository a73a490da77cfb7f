/** Each map, set and list of the product that begins empty, and what bounds it: a row of docs/operations.md, "What grows by requests", or that requests make no entry. */

/** A row of the table about the memory of a process, by its first cell. */
interface Row {
  readonly row: string
}

type Bound = Row | typeof documents | typeof entries | typeof nodes | typeof work

/** As many as operators load and configure, or a few for each of these. */
const documents = 'documents'
/** A few for each row of `entries`, which the table about the store has. */
const entries = 'entries'
/** As many as there are nodes and workers, or what these have told: they prove that they are of the cluster. */
const nodes = 'nodes'
/** Gone with the load, the check, the command or the rendering that has made it; its input is bounded. */
const work = 'work'

const rows = {
  bytes: { row: 'bodies, messages and responses that are under way' },
  connections: { row: 'connections, WAMP sessions' },
  router: { row: 'subscriptions and registrations of the embedded router' },
  streams: { row: 'streams, and subscriptions whose stream was left' },
  retained: { row: 'retained events' },
  replay: { row: 'events kept for streams that come back' },
  userSessions: { row: 'WAMP sessions of users' },
  limits: { row: 'rate limits and quotas that are known' },
  shares: { row: 'shares of Idempotency-Keys' },
  answers: { row: 'responses of `cache`' },
  compiled: { row: 'compiled API Specifications, schemas, patterns' },
  verified: { row: 'verified tokens and passwords, heads of tokens, responses of `forward_auth`, seen tickets, provider tokens, tokens given for those of users' },
  uses: { row: 'when tickets and API keys were used and logins were checked, as far as the process knows' },
  oneTime: { row: 'one-time tickets of sessions' },
  series: { row: 'series of `/metrics`' },
  logLines: { row: 'nodes, peers and routes whose repeated log lines are held back' },
  failed: { row: 'failed logins' },
  logins: { row: 'networks in which users log in' },
  sockets: { row: 'WebSockets to upstreams' },
  upstreams: { row: 'circuits, pools of connections to upstreams' },
  traces: { row: 'traces' },
  requests: { row: 'requests and calls that are under way' },
  descriptions: { row: 'texts of OpenAPI descriptions' },
  certificates: { row: 'certificates of clients' },
  told: { row: 'usage that other nodes are told' },
  networks: { row: 'networks of clients' },
  events: { row: 'events of deliveries' },
  faults: { row: 'networks whose connections of HTTP/2 have ended by faults' },
  spans: { row: 'spans of distributed traces' },
  stale: { row: 'Idempotency-Keys of requests that did nothing' },
  compressed: { row: 'responses of `compress` that wait for a thread' },
  watches: { row: 'readers of consoles, and what they watch' },
} as const satisfies Readonly<Record<string, Row>>

/** Rows of what is counted, and kept in no map. */
export const counted: readonly string[] = [
  'values of one body or message',
  'mistakes of one check against a schema',
  'endpoints of users at deliveries',
]

/** By folder, then by name; one for each file of the folder that has such a map. */
export const growth: Readonly<Record<string, Readonly<Record<string, Bound | readonly Bound[]>>>> = {
  'component': { '#counts': rows.series, '#keys': documents, '#map': rows.requests, '#waiting': rows.bytes, '#whenIdle': rows.bytes },
  'component/action': { '#others': documents },
  'component/action/connections': { '#ending': rows.upstreams, '#pools': rows.upstreams },
  'component/action/forward': { '#chunks': rows.bytes },
  'component/action/wamp-call': { '#early': rows.bytes, '#settled': rows.requests },
  'component/cli/contract': { losses: work },
  'component/cli/folder': { outcomes: work },
  'component/codec': { '#few': work, '#open': work, items: work, open: work },
  'component/compile': { '#found': work, '#generated': documents, '#lengths': work, '#levels': work, '#needs': documents, '#parties': work, '#ranks': work, '#sameEnds': work, '#shared': work, entries: documents, noMembers: work, places: documents, versions: documents },
  'component/compile/kept': { '#kept': rows.compiled },
  'component/compile/procedures': { noMembers: work },
  'component/compile/schemas': { '#checks': documents, '#uncompiled': documents, '#uses': documents, features: documents },
  'component/compile/tools': { '#tools': documents },
  'component/credentials': { '#counts': documents, '#entries': documents, '#inUse': documents, '#known': rows.verified },
  'component/delivery': { '#attempts': rows.events, '#ended': rows.events, '#claimed': rows.events, '#counts': documents, '#ending': documents, '#kept': rows.events, '#known': rows.events, '#open': [rows.events, documents], '#queue': rows.events, '#realms': documents, '#taken': rows.events, '#waiting': rows.events, '#whenEmpty': documents, '#whole': documents, slots: documents },
  'component/explain': { '#begun': work, '#judged': work, '#last': work, '#subscriptions': work, actions: work, all: work, checks: work },
  'component/explain/redaction': { '#byStart': work },
  'component/expression': { '#compiled': documents, '#pending': work, '#whole': documents },
  'component/expression/functions': { '#others': work, '#scalars': work },
  'component/expression/probe': { '#folded': work, '#steps': work },
  'component/gateway': { '#callbacks': rows.requests, '#kept': documents },
  'component/gateway/sockets': { '#ofOperations': rows.sockets, '#open': rows.sockets },
  'component/gateway/streams': { '#onClose': rows.streams, '#open': rows.streams, '#pending': rows.bytes },
  'component/issuer': { '#known': documents },
  'component/limits': { '#intervals': rows.logLines, '#limits': documents, '#quotas': rows.networks, '#shares': rows.shares, '#queues': rows.requests, '#told': rows.logLines },
  'component/metrics': { '#apis': rows.series, '#families': documents, '#gone': rows.series },
  'component/oidc': { '#answers': work, '#names': entries, '#signed': work },
  'component/oidc/client': { '#known': documents },
  'component/oidc/kept': { '#known': [rows.verified, rows.uses], '#told': documents },
  'component/openapi': { '#encoded': work, '#known': work, '#made': rows.descriptions, '#making': rows.descriptions, '#next': work },
  'component/openapi/import': { '#extensions': work, '#issues': work, '#known': work, '#names': work, '#places': work, '#referred': work, '#unread': work },
  'component/policies/cache': { '#entries': rows.answers, '#fills': rows.answers, '#flights': rows.requests, '#known': rows.answers, '#labelled': rows.answers, '#places': rows.answers, '#subscribed': documents },
  'component/policies/circuit-breaker': { '#circuits': rows.upstreams },
  'component/policies/compress': { '#waiting': rows.compressed },
  'component/policies/limits': { '#asked': rows.limits, '#buckets': rows.limits, '#changed': rows.told, '#made': rows.limits, '#senders': nodes, '#touched': rows.limits, '#unchanged': rows.told, '#uses': rows.limits },
  'component/realm': { '#redeemed': rows.oneTime, '#sessions': documents, '#stored': documents, '#timers': rows.connections },
  'component/realm/documents': { none: documents },
  'component/registry': { '#known': documents, '#staged': documents },
  'component/reload': { '#failed': documents, '#folders': documents, '#patterns': documents, '#reasons': documents, '#toldOptions': documents },
  'component/replica': { '#changed': entries, '#damaged': entries, '#digests': entries, '#last': entries, '#summaries': entries, '#watchers': documents },
  'component/router': { '#connections': rows.connections, '#ended': rows.connections, '#events': rows.retained, '#inbox': rows.bytes, '#realms': documents, byId: rows.router, registrations: rows.router, sessions: rows.connections, subscriptions: rows.router },
  'component/router/limits': { '#holders': rows.connections, '#large': rows.bytes, '#paused': rows.connections },
  'component/router/patterns': { '#exact': rows.router, '#lengths': rows.router, '#prefix': rows.router, '#shapes': rows.router, entries: rows.router },
  'component/routes': { '#found': work, '#own': documents, '#realms': documents, '#segments': documents, found: work, noLiterals: documents },
  'component/schema': { '#factsOf': work, '#hashes': documents, '#judged': work, '#kept': rows.compiled, '#known': work, '#parts': work, '#patterns': work, '#scalars': work, '#texts': work, '#validators': documents, patterns: work, seen: work },
  'component/schema/pattern': { kept: rows.compiled },
  'component/security': { '#failures': rows.failed, '#followed': rows.streams, '#known': [rows.verified, rows.logins], '#places': rows.failed, '#verdicts': rows.streams, '#waiting': rows.streams },
  'component/security/basic': { '#known': rows.verified },
  'component/security/forward-auth': { '#kept': rows.verified },
  'component/spec': { '#paths': work, issues: work, keysOf: documents },
  'component/store': { '#known': documents, '#stale': rows.stale, '#texts': documents, '#underWay': documents, '#waiting': [rows.requests, rows.requests] },
  'component/store/sqlite': { '#sent': rows.requests, '#waiting': rows.requests },
  'component/stream': { '#asking': rows.streams, '#beats': rows.streams, '#byPublication': rows.replay, '#counts': rows.streams, '#entries': rows.replay, '#joined': rows.requests, '#left': rows.streams, '#places': rows.streams, '#queue': rows.streams, '#rings': rows.replay, '#sources': rows.streams, '#streams': rows.streams, '#waiting': rows.streams, '#work': rows.streams, streams: [rows.streams, rows.streams] },
  'component/sync': { '#askedAgain': nodes, '#askedAt': nodes, '#calls': nodes, '#fetchedAt': nodes, '#fetching': nodes, '#heardAt': nodes, '#highest': nodes, '#known': nodes, '#refusedAt': nodes, '#running': nodes },
  'component/syntax': { '#arguments': work },
  'component/telemetry/otlp': { '#waiting': rows.spans },
  'component/token': { '#known': [rows.uses, rows.uses], '#seen': rows.verified, '#tokens': rows.verified },
  'component/tracing': { '#traces': rows.traces },
  'component/upstreams': { '#loops': documents },
  'component/wamp': { '#all': [rows.userSessions, documents], '#connections': rows.requests, '#answers': rows.requests, '#ids': documents, '#incoming': rows.bytes, '#looking': rows.requests, '#own': documents, '#procedures': documents, '#registrations': documents, '#waiting': rows.requests },
  'component/wamp/channel': { '#chunks': rows.bytes },
  'component/wamp/forwarding': { '#gateways': documents },
  'component/wamp/registrations': { '#all': documents, '#asked': documents, '#calls': rows.bytes, '#gone': rows.requests, '#registrations': documents },
  'component/wamp/routers': { '#guests': documents, '#told': documents },
  'component/wamp/watch': { '#all': rows.streams, '#asked': rows.streams, '#byId': rows.streams, '#bySubject': rows.streams },
  'component/wiring': { refused: documents },
  'component/wiring/console': { '#readers': rows.watches, '#snapshots': rows.watches, '#watches': [rows.watches, rows.watches] },
  'component/wiring/documents': { '#changed': documents, '#found': documents },
  'component/wiring/procedures': { '#ending': documents, '#held': documents, '#open': rows.bytes, '#registering': documents },
  'component/wiring/streams': { '#changed': documents },
  'component/workers': { '#closed': nodes, '#connections': documents, '#free': nodes, '#haveBeenReady': nodes, '#pending': rows.connections, '#recipients': nodes, '#servers': [documents, documents], '#waiting': rows.connections },
  'http': { '#servers': documents, queue: rows.requests },
  'http/body': { '#blocks': rows.bytes, '#pieces': rows.bytes, '#field': rows.bytes, pieces: rows.bytes },
  'http/limits': { '#faults': rows.faults, '#resets': rows.faults, '#held': documents, '#open': rows.connections, '#silent': rows.connections, '#waiting': rows.connections, networks: rows.connections, pipelines: rows.connections },
  'http/oidc': { '#arrivals': documents },
  'http/rehearsal': { '#chunks': work },
  'http/transport': { '#open': rows.connections, '#queue': rows.requests, '#waiting': rows.connections, '#streams': rows.connections },
  'http/tls': { '#begun': rows.connections, '#begunOf': rows.connections, '#between': rows.certificates, '#known': rows.certificates, '#next': rows.connections, '#open': rows.connections, '#servers': documents, '#waiting': rows.connections },
}
