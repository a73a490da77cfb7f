/** Every option of the configuration: type, default, unit and description; docs/configuration.md is printed from it. */
import { examplesModes } from '#component/examples/modes.ts'
import { corsSection } from './config-cors.ts'
import {
  cacheSection,
  deliveriesSection,
  idempotencySection,
  limitsSection,
} from './config-limits.ts'
import { logSection } from './config-log.ts'
import { milliseconds, seconds, secret, section, strings } from './config-members.ts'
import { metricsSection } from './config-metrics.ts'
import { storeSection } from './config-store.ts'
import { telemetrySection } from './config-telemetry.ts'
import { tlsOption } from './config-tls.ts'
import {
  array,
  boolean,
  integer,
  literal,
  map,
  mayBeAbsent,
  object,
  string,
  union,
} from './json-schema.ts'

const address = '`host:port`, `port`, or `[::1]:port`'

/** What {@link address} says, of one address: an empty host is all. */
const listenAddress = [
  string({
    pattern: String.raw`(^|:)(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$`,
  }),
  integer({ minimum: 0, maximum: 65_535 }),
] as const

/** What a refusal says of {@link listenAddress}. */
const addressTitle = 'host:port or port, with a port up to 65535'

const wampAuth = object({
  authmethod: union(
    ['anonymous', 'ticket', 'wampcra', 'cryptosign'].map((name) => literal(name)),
    { description: 'How a session logs in: `anonymous`, `ticket`, `wampcra` or `cryptosign`.' },
  ),
  authid: mayBeAbsent(string({ description: 'The authid to log in as.' })),
  secret: mayBeAbsent(secret('The ticket, or the WAMP-CRA secret.')),
  key: mayBeAbsent(secret('The Ed25519 private key (32 bytes, hex) for cryptosign.')),
})

/** The whole configuration. */
export const configSchema = section(
  {
    node: mayBeAbsent(
      string({
        pattern: '^[a-z0-9-]{1,64}$',
        description:
          'The name of this node in events and logs. Default: the host name and six hexadecimal digits, kept in `data_dir`.',
      }),
    ),
    workers: integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      description:
        'Number of processes that share the listeners, named `<node>-1`, `<node>-2`, … 1: one process does everything.',
    }),
    data_dir: string({
      default: './data',
      description: 'Folder where the gateway keeps its data. Relative to the working folder.',
    }),
    log: logSection,
    gateway: section(
      {
        listen: union([...listenAddress, array(union(listenAddress))], {
          title: `${addressTitle}, or a list of these`,
          default: '127.0.0.1:18080',
          description: `The address of routed requests and \`/ws\`: ${address}, or a list of these.`,
        }),
        public_base_url: mayBeAbsent(
          string({ description: 'The URL at which clients reach this gateway.' }),
        ),
        trusted_proxies: strings(
          'CIDR ranges of the proxies in front of the gateway. Their header fields name the client, and the request by `X-Request-Id`.',
        ),
        forwarded_header: union([literal('x-forwarded-for'), literal('forwarded')], {
          default: 'x-forwarded-for',
          description:
            'The header fields of trusted_proxies that are read: `x-forwarded-for`, with `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Real-IP`; or `forwarded` (RFC 7239). The host that they report is `Host` for expressions, upstreams and authentication services. The others are not read, because a client can send them through a proxy that does not set them.',
        }),
        tls: mayBeAbsent(tlsOption),
        http2: boolean({
          default: true,
          description:
            'Offer HTTP/2 beside HTTP/1.1, where the listener serves TLS (docs/deploy.md, "HTTP/2: the gateway or the proxy"). Without TLS there is none.',
        }),
        cors: corsSection,
        ws_allowed_origins: strings(
          'Origins of pages that may open a WAMP session at `/ws`. Clients without an `Origin` header, which only browsers send, are not restricted.',
        ),
        compress: boolean({
          default: false,
          description:
            'Whether responses are compressed for clients that accept it, where a document sets no `compress` (docs/policies.md, "compress"); also descriptions, docs pages, and responses to tools.',
        }),
        drain_delay: milliseconds(
          0,
          'How long requests are still accepted after SIGTERM (with `Connection: close`), so that a load balancer notices. Behind one, 10000 is recommended.',
        ),
        drain_timeout: milliseconds(
          30_000,
          'How long requests in flight may take after drain_delay.',
        ),
      },
      'The listener for clients.',
    ),
    admin: section(
      {
        listen: union([...listenAddress, array(union(listenAddress))], {
          title: `${addressTitle}, or a list of these`,
          default: '127.0.0.1:18081',
          description: `The address of management, \`/ping\`, \`/ready\` and \`/metrics\`: ${address}, or a list of these.`,
        }),
        share_gateway_listener: union([literal('auto'), boolean()], {
          default: 'auto',
          description:
            'Whether the gateway listener serves management, too. `auto`: while it is bound to loopback and none of public_base_url, trusted_proxies and tls is set, or when admin.realm is set.',
        }),
        console: boolean({ default: true, description: 'Serve the console (docs/console.md).' }),
        grafana: mayBeAbsent(
          union([string({ pattern: String.raw`^https?://[^\s/?#\\@]+([/?#]\S*)?$` })], {
            title: 'a URL with http or https, without credentials',
            description:
              'The URL of the Grafana dashboard (docs/deploy.md, "Prometheus and Grafana"), to which the console links; for one API with the variable `api`.',
          }),
        ),
        realm: mayBeAbsent(
          string({
            description:
              'The realm whose users manage everything, with an access token or an API key as `Authorization: Bearer`. They need the role `spec_loader`, or `spec_reader` to read only. Users of other realms with these roles manage what belongs to their realm. Required for an admin listener that is not on loopback.',
          }),
        ),
      },
      'The listener for operators.',
    ),
    health: section(
      {
        listen: mayBeAbsent(
          union([...listenAddress, array(union(listenAddress))], {
            title: `${addressTitle}, or a list of these`,
            description: `An additional address of \`/ping\`, \`/ready\` and \`/metrics\`, and nothing else: ${address}, or a list of these. It asks for no credentials, so probes and scrapers of a container platform may reach it. Default: none.`,
          }),
        ),
      },
      'The listener for probes and scrapers.',
    ),
    store: storeSection,
    history: section(
      {
        deleted_days: integer({
          default: 7,
          minimum: 0,
          maximum: 3650,
          description:
            'How long the versions of a deleted API Specification are kept, to be listed and rolled back to. Days.',
        }),
      },
      'The last versions of each API Specification.',
    ),
    cluster: section(
      {
        key: mayBeAbsent(
          secret(
            'The key that seals the messages between gateways on one router: the same on all, at least 16 characters (`openssl rand -hex 32`). Required with `wamp.url`; random on the embedded router.',
          ),
        ),
      },
      'Several gateways as one.',
    ),
    wamp: section(
      {
        url: mayBeAbsent(
          union([string(), array(string(), { minItems: 1 })], {
            description:
              'The WAMP router, or a list of routers: the first that responds is used, and the next one once it is lost (docs/crossbar.md, "Several routers"). `ws://…` or `wss://…`; by RawSocket `rs://host:port`, `rss://host:port` (TLS) or `unix:/path` (docs/crossbar.md, "RawSocket"). Default: the embedded router.',
          }),
        ),
        realm: string({
          default: 'service.gateway',
          description: "The component's own realm, where its procedures are registered.",
        }),
        auth: mayBeAbsent(wampAuth), // of the component's own realm only
        realms: map(wampAuth, {
          default: {},
          description:
            'How the gateway logs in to the realms of APIs: realm URI to the keys of `wamp.auth`. A realm that is not named is joined anonymously, never as the component.',
        }),
        identity: union([literal('session'), literal('service'), literal('forwarded')], {
          default: 'session',
          description:
            "The identity under which calls of logged-in users reach the router. `session`: the user, over a session of its own, so that the router's grants decide. `service`: the gateway, for a router that cannot ask the gateway to authenticate users. `forwarded`: the user, named by the gateway on a session of its own, after the gateway has checked the grants; the router must trust the gateway with it.",
        }),
        serializer: union([literal('json'), literal('msgpack'), literal('cbor')], {
          default: 'msgpack',
          description:
            'The serializer for an external router; it decides [which values](router.md#values) of callees arrive.',
        }),
        call_timeout: milliseconds(
          30_000,
          'How long a path waits for a result unless it says otherwise.',
        ),
        max_message_bytes: integer({
          default: 15_000_000,
          minimum: 65_536,
          maximum: 15_000_000,
          description:
            'Size of the largest message that is sent for a request, about: a larger one is refused with `wamp.error.payload_size_exceeded` (413) before a callee receives it. Set it lower where callees end their session over smaller messages (docs/bodies.md, "An image for a Python callee"). Bytes.',
        }),
        failback_after: milliseconds(
          60_000,
          'How long the first router of a list in `wamp.url` must be up before a process that uses a later one fails back to it; 0: never.',
        ),
        allowed_dynamic_uris: strings(
          'Procedures and topics beginning with `wamp.` or `service.` that a request may name. A trailing `.` makes an entry a prefix.',
        ),
      },
      'The WAMP router and the sessions on it.',
    ),
    router: section(
      {
        listen: mayBeAbsent(
          union(listenAddress, {
            title: addressTitle,
            description: `An additional address for the embedded router: ${address}. The router is always at \`/ws\` of the gateway.`,
          }),
        ),
        rawsocket: mayBeAbsent(
          union([string(), array(string(), { minItems: 1 })], {
            description:
              'Where the embedded router speaks RawSocket beside WebSocket: `rs://host:port` in the clear, or `unix:/path` ([router](router.md#rawsocket)). Default: nowhere.',
          }),
        ),
        ping_interval: milliseconds(
          5_000,
          'Silence of a client of the embedded router until it is pinged; over RawSocket no ping is sent, and silence counts within a frame only. 0: never.',
        ),
        ping_timeout: milliseconds(
          5_000,
          'How long a client may take to respond to a ping, or over RawSocket to go on with a frame that it has begun, before it is disconnected. A callee with a call under way has until the timeout of the call, and as long again.',
        ),
      },
      'The embedded WAMP router.',
    ),
    forward: section(
      {
        allowed_hosts: strings(
          'Hosts that a `forward` action may reach when the request decides its host: `host`, `host:port` or `*.suffix`.',
        ),
        unix_sockets: strings(
          'Folders whose Unix sockets the targets of upstreams may be (`unix:/path`). Whoever may connect to such a socket has the rights of its server: never list the folder of a container runtime.',
        ),
      },
      'Forward actions.',
    ),
    egress: section(
      {
        proxy: mayBeAbsent(
          string({
            description:
              'The proxy by which forwards leave, all that the gateway fetches itself, and the spans that it sends: `http://host[:port]` or `https://host[:port]`. It is asked for a tunnel (CONNECT) for https and for WebSockets, and by the whole URL for http, and resolves the names of hosts. The environment (`HTTPS_PROXY`) is not read. Default: none.',
          }),
        ),
        proxy_username: mayBeAbsent(
          string({ description: 'The name of the gateway at the proxy. Default: none.' }),
        ),
        proxy_password: mayBeAbsent(secret('The password of the gateway at the proxy.')),
        proxy_ca: mayBeAbsent(
          secret(
            'The certificates in PEM that a proxy by https is trusted by in place of those of the system.',
          ),
        ),
        no_proxy: strings(
          'Hosts that are connected to without the proxy: `host`, `host:port`, `*.suffix`, addresses and networks (`10.0.0.0/8`).',
        ),
      },
      'How connections leave the gateway.',
    ),
    oauth2: section(
      {
        access_token_ttl: seconds(900, 86_400, 'How long an access token is valid.'),
        refresh_token_ttl: seconds(
          2_592_000,
          31_536_000,
          'How long a refresh token can be used; each use gives a new one.',
        ),
        refresh_grace: seconds(
          10,
          60,
          'How long a repeat of a use of a refresh token gets the same next token, because the response may have been lost; longer than a restart takes, so that no login ends with it.',
        ),
      },
      'The OAuth2 token endpoints.',
    ),
    rate_limits: section(
      {
        user_failures: integer({
          default: 20,
          minimum: 1,
          description:
            'Wrong passwords or keys for one user from one address, in a minute, before further attempts are refused (over HTTP: 429). The limit is ten times as high for all addresses together from which the user has not logged in within a day.',
        }),
        address_failures: integer({
          default: 100,
          minimum: 1,
          description:
            'Wrong passwords or keys from one address for any users, in a minute, before further attempts are refused.',
        }),
      },
      'Limits on guessing over HTTP and WAMP; counted in each process. Of an IPv6 address its /64 counts.',
    ),
    limits: limitsSection,
    cache: cacheSection,
    idempotency: idempotencySection,
    deliveries: deliveriesSection,
    metrics: metricsSection,
    files: section(
      {
        roots: map(
          object({
            path: string({ description: 'A folder. Relative to the working folder.' }),
            realms: array(string(), {
              description: 'The realms whose API Specifications may name the root.',
            }),
          }),
          {
            default: {},
            description:
              'Folders whose files API Specifications may serve (docs/files.md): a map of names to `{path, realms}`, the folder and the realms whose documents may serve its files.',
          },
        ),
      },
      'Folders with files for clients.',
    ),
    explain: section(
      {
        traces: boolean({
          default: true,
          description:
            'Whether operators may make trace tokens, with which clients have their requests recorded (docs/explain.md, "One real request in production"); false on any node: that node records none.',
        }),
        redact: strings(
          'Names beside the usual ones: where the name of a header field, parameter or member holds one of them, explanations and traces do not show its value.',
        ),
      },
      'Explanations (`POST /explain`) and traces of requests.',
    ),
    telemetry: telemetrySection,
    specs: strings(
      'Files or globs of API Specifications that are loaded at start and by a reload: `.yaml` and `.yml` as YAML 1.2 without tags, aliases and merge keys, all others as JSON. Relative to the working folder.',
    ),
    specs_examples: union(
      examplesModes.map((mode) => literal(mode)),
      {
        default: 'off',
        description:
          'Whether the examples of these files are run before a load: with `warn` the log tells those that fail, with `refuse` a file with one is refused. `wamp-gateway test` runs them without a gateway.',
      },
    ),
    fail_on_refused_files: boolean({
      default: false,
      description:
        'Whether a refused file of specs or realms ends the start (exit code 78, or 70 for a reason that passes). By default the gateway serves without it, and `/ready` and `/registry` name it.',
    }),
    realms: strings(
      'Files or globs of realm documents that are loaded at start and by a reload, in the same formats. Relative to the working folder.',
    ),
    watch: boolean({
      default: false,
      description:
        'Whether the files of specs, realms and gateway.tls and the configuration file are read again when they change, as SIGHUP reads them (docs/operations.md, "Reload").',
    }),
  },
  'The configuration of the gateway.',
)
