/** The sections `limits` and `cache` of the configuration: what peers may use up, and what is kept. */
import { milliseconds, section, strings } from './config-members.ts'
import { boolean, integer, mayBeAbsent } from './json-schema.ts'

/** Members of `limits`. */
export const limitsSection = section(
  {
    max_connections: integer({
      default: 10_000,
      minimum: 1,
      description: 'Connections that a listener holds at once, in each process.',
    }),
    connections_per_address: mayBeAbsent(
      integer({
        minimum: 1,
        description:
          'Connections that one address (of IPv6: its /64) holds at a listener at once, in each process. Further ones are closed. Trusted proxies are exempt. Default: half of max_connections.',
      }),
    ),
    headers_timeout: milliseconds(
      10_000,
      'How long the headers of a request may take, a client of TLS to begin its handshake, and the handshake from then on.',
    ),
    request_timeout: milliseconds(
      600_000,
      'How long a whole request may take to arrive, whatever its path allows.',
    ),
    keep_alive_timeout: milliseconds(
      5_000,
      'How long an idle connection is kept. Behind a load balancer, longer than that of the balancer (75000).',
    ),
    max_requests_per_socket: integer({
      default: 0,
      minimum: 0,
      description: 'Number of requests after which a connection is closed. 0: never.',
    }),
    http2_streams: integer({
      default: 128,
      minimum: 1,
      maximum: 1_000,
      description: 'Requests in progress on one HTTP/2 connection. Further ones are refused.',
    }),
    http2_idle_timeout: milliseconds(
      60_000,
      'How long an HTTP/2 connection without a request is kept. Behind a load balancer, longer than that of the balancer.',
    ),
    load_shedding: boolean({
      default: true,
      description:
        'Refuse requests with 503 while the process has more of them than it can serve in time, or little memory left (docs/operations.md, "Limits for clients"). false: all of them wait.',
    }),
    wamp_sessions: integer({
      default: 10_000,
      minimum: 2,
      description:
        'Clients that are connected to the embedded router at once. One address (of IPv6: its /64) has at most half of what all others leave. Further clients are refused with 503.',
    }),
    subscriptions_per_session: integer({
      default: 5_000,
      minimum: 1,
      description:
        'Subscriptions of one session on the embedded router, and separately its registrations. Further ones are refused with `wamp.error.limit_exceeded`.',
    }),
    subscriptions_per_realm: integer({
      default: 50_000,
      minimum: 1,
      description:
        'Topics and patterns subscribed in one realm of the embedded router, and separately its registered procedures.',
    }),
    streamed_bodies: integer({
      default: 1_000,
      minimum: 1,
      description:
        'Bodies of requests that are streamed to procedures at once, in each process; a quarter of them of one address (of IPv6: its /64). Further ones are refused with 503.',
    }),
    open_files: integer({
      default: 512,
      minimum: 1,
      description:
        'Files of `files` actions that are open at once, in each process. Further requests wait.',
    }),
    rate_limit_keys: integer({
      default: 100_000,
      minimum: 1_000,
      description:
        'Users, addresses and so on whose use of the rate limits and quotas of documents is known at once, in each process. Beyond it the one that has been silent for longest is forgotten.',
    }),
    compiled_bytes: integer({
      default: 67_108_864,
      minimum: 1_048_576,
      description:
        'Bytes of memory that compiled API Specifications take, in each process, about. Beyond it those that were not asked for lately are forgotten, and compiled again by their next request (docs/operations.md, "Many API Specifications").',
    }),
    buffered_bytes: integer({
      default: 134_217_728,
      minimum: 33_554_432,
      description:
        'Bytes that are buffered at once for all peers, in each process: incomplete requests and messages, unread responses and messages, and retained events. Further ones are refused.',
    }),
    streams: integer({
      default: 8_000,
      minimum: 1,
      description:
        'Streams of events that are open at once, in each process. Further ones are refused with 503. Less than max_connections, so that requests still get in.',
    }),
    streams_per_address: integer({
      default: 100,
      minimum: 0,
      description:
        'Streams of events of one address (of IPv6: its /64) at once, in each process. Further ones are refused with 429. 0: any number.',
    }),
    streams_per_identity: integer({
      default: 20,
      minimum: 0,
      description:
        'Streams of events of one user of a realm at once, in each process. Further ones are refused with 429. 0: any number. Clients without a login are not counted.',
    }),
    parallel_actions: integer({
      default: 1_000,
      minimum: 1,
      description:
        'Actions of `parallel` and `each` that run at once, in each process. Requests that need more of them are refused with 503.',
    }),
    websockets: integer({
      default: 2_000,
      minimum: 1,
      description:
        'WebSockets to upstreams that are open at once, in each process. Further ones are refused with 503. Less than max_connections, so that requests still get in.',
    }),
    websockets_per_address: integer({
      default: 100,
      minimum: 0,
      description:
        'WebSockets of one address (of IPv6: its /64) at once, in each process. Further ones are refused with 429. 0: any number.',
    }),
    websockets_per_identity: integer({
      default: 20,
      minimum: 0,
      description:
        'WebSockets of one user of a realm at once, in each process. Further ones are refused with 429. 0: any number. Clients without a login are not counted.',
    }),
    stream_sessions: integer({
      default: 1_000,
      minimum: 0,
      description:
        'WAMP sessions of users that streams of events keep joined, in each process. Streams that need a further one are refused with 503.',
    }),
    stream_buffer: integer({
      default: 262_144,
      minimum: 65_536,
      description:
        'Bytes that wait for one client of a stream of events. What happens beyond is what `overflow` of the operation says.',
    }),
    replay_memory: integer({
      default: 67_108_864,
      minimum: 0,
      description:
        'Bytes of the events that are kept for streams that come back, in each process. The oldest events of the topic with most bytes are dropped first.',
    }),
    call_buffer: integer({
      default: 4_194_304,
      minimum: 65_536,
      description:
        'Bytes of progressive results that wait for one client. Beyond, the call is cancelled and the connection is closed.',
    }),
    delivery_buffer: integer({
      default: 16_777_216,
      minimum: 1_048_576,
      description:
        'Bytes of events for `deliveries` in the memory of each process: events that wait for the store, and those that a process standing by keeps in case the accepting process fails. Events beyond it are lost, and recorded as a gap.',
    }),
  },
  'Limits for clients, whether they log in or not.',
)

/** Members of `cache`. */
export const cacheSection = section(
  {
    max_bytes: integer({
      default: 67_108_864,
      minimum: 1_048_576,
      description:
        'Bytes of responses that routes with `cache` keep in memory, in each process. Beyond it what was used least recently goes first.',
    }),
    max_entry_bytes: integer({
      default: 1_048_576,
      minimum: 1,
      description: 'Bytes of the body of a response; a larger one is not kept.',
    }),
  },
  'The responses that are kept (docs/policies.md, "cache").',
)

/** Members of `deliveries`. */
export const deliveriesSection = section(
  {
    max_bytes: integer({
      default: 268_435_456,
      minimum: 1_048_576,
      description:
        'Bytes of the events that the store keeps for `deliveries` of API Specifications, checked once a minute. At the limit further events are not accepted, and recorded as a gap.',
    }),
    max_endpoints: integer({
      default: 1_000,
      minimum: 1,
      maximum: 10_000,
      description:
        'Endpoints of deliveries that all users together may add. At the limit no user can add one (503).',
    }),
    endpoint_hosts: strings(
      'Hosts of endpoints of users whose addresses may be private, and whose URLs may be `http`: `host`, `host:port` or `*.suffix`. All other endpoints are public and `https`.',
    ),
  },
  'The events that `deliveries` of API Specifications send (docs/deliveries.md).',
)

/** Members of `idempotency`. */
export const idempotencySection = section(
  {
    max_rows: integer({
      default: 1_000_000,
      minimum: 1_000,
      description:
        'Idempotency-Keys that the store keeps, checked once a minute. At the limit requests with new keys are refused with 503; repeats of known ones are served.',
    }),
    max_rows_per_user: integer({
      default: 100_000,
      minimum: 100,
      description:
        'Of these, the keys of one user on one route, or of one address (of IPv6: its /64) without a login, in each process. Of max_bytes they may have as large a part. Raise it where one program sends most requests.',
    }),
    max_bytes: integer({
      default: 1_073_741_824,
      minimum: 1_048_576,
      description:
        'Bytes of the responses that are kept under these keys, as max_rows counts them.',
    }),
  },
  'The responses that `idempotency` of API Specifications keeps (docs/policies.md).',
)
