/** The gateway proper, with its actions and its authentication. */

import { ActionMetrics } from '#component/action/action-metrics.ts'
import { egressBy } from '#component/action/connections/egress.ts'
import { hostPolicy } from '#component/action/connections/origin.ts'
import { type Connections, Upstreams } from '#component/action/connections/upstreams.ts'
import { openRoots } from '#component/action/files/roots.ts'
import { RunningBranches } from '#component/action/group.ts'
import { openActions } from '#component/action/index.ts'
import type { AttemptWatch } from '#component/action/watching/attempt-watch.ts'
import { PoolMetrics, type PoolWatch } from '#component/action/watching/pool-metrics.ts'
import { toldAttempts } from '#component/action/watching/told-attempts.ts'
import { tracedAttempts } from '#component/action/watching/traced-attempts.ts'
import type { EndpointDesk } from '#component/delivery/endpoints/endpoint-desk.ts'
import type { Examples } from '#component/examples/examples.ts'
import { Gateway } from '#component/gateway/handle.ts'
import type { OpenSockets } from '#component/gateway/sockets/open-sockets.ts'
import { CallStreams } from '#component/gateway/streams/call-streams.ts'
import { OpenStreams } from '#component/gateway/streams/open-streams.ts'
import { ToolMetrics } from '#component/gateway/tools/tool-metrics.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import type { Descriptions } from '#component/openapi/descriptions.ts'
import type { FindExamples } from '#component/openapi/options.ts'
import { openPolicies, type Policies } from '#component/policies/index.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import { gatewayRole, rolesOf } from '#component/realm/logins.ts'
import { Reauthentication } from '#component/security/reauthentication.ts'
import type { Streams } from '#component/stream/hub.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { Deliveries } from '#component/wiring/deliveries/deliveries.ts'
import { managed, openDeliveries } from '#component/wiring/deliveries/open-deliveries.ts'
import { type FollowedUpstreams, followUpstreams } from '#component/wiring/follow-upstreams.ts'
import { openSocketsOf } from '#component/wiring/streams/open-sockets.ts'
import { openStreamHub } from '#component/wiring/streams/stream-hub.ts'
import { unrenderedLog } from '#component/wiring/streams/unrendered-log.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { StreamMetrics } from '#http/management/stream-metrics.ts'
import { publicPath } from '#http/oidc/public-address.ts'
import { openPublication } from '#http/openapi/open.ts'
import type { WiringContext } from './context.ts'
import { type HttpAuthentication, openHttpAuthentication } from './http-authentication.ts'
import type { WorkerPorts } from './worker-ports.ts'

/** Where clients reach this gateway. */
export interface Address {
  /** Without a slash at the end: the configured address, else that of the first listener; empty before it listens. */
  base: string
}

/** Serves requests; its routing table is set from outside. */
export interface Serving {
  readonly gateway: Gateway
  readonly authentication: HttpAuthentication
  /** The answers that are streams of a call. */
  readonly callStreams: CallStreams
  readonly streamMetrics: StreamMetrics
  /** The policies of routes. */
  readonly policies: Policies
  /** OpenAPI, for operators. */
  readonly descriptions: Descriptions
  /** What documents send for events. */
  readonly deliveries: Deliveries
  /** The endpoints that users have added. */
  readonly desk: EndpointDesk
  /** Connections to upstreams. */
  readonly connections: Connections
  /** The upstreams of all realms, and the tokens that they are sent. */
  readonly upstreams: Pick<FollowedUpstreams, 'table' | 'credentials'>
  /** Told of the attempts of actions. */
  readonly watch: AttemptWatch
  /** Told of requests that wait for a slot of their version. */
  readonly pools: PoolWatch
  readonly reauthentication: Reauthentication
  readonly streams: Streams
  readonly openStreams: OpenStreams
  readonly openSockets: OpenSockets
  /** Ends all connections to upstreams and identity providers, and keeps what policies have counted. */
  close(): Promise<void>
}

/** What a realm says of its scopes. */
const textsOfScopes = (realm: Realm | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...(realm?.scopes ?? [])].flatMap(([name, { description }]) =>
      description === undefined ? [] : [[name, description]],
    ),
  )

/** Milliseconds, finer than the clock's. */
const monotonic = (): number => performance.now()

/** The parts that serving needs. */
interface ServingNeeds {
  readonly address: Address
  readonly context: WiringContext
  readonly examples: Examples
  readonly pool: SessionPool
  readonly worker: WorkerPorts | undefined
}

/** Nothing is served before the routing table is set. */
export function openServing({ address, context, examples, pool, worker }: ServingNeeds): Serving {
  const issuerBase = () => address.base
  const findExamples: FindExamples = (one) => examples.holding(one)
  const { config, clock, node, log, yieldTurn, families, telemetry } = context
  const hosts = hostPolicy(config.forward.allowed_hosts)
  const connections = new Upstreams(clock, hosts, {
    egress: egressBy(config.egress),
    unixSockets: config.forward.unix_sockets,
  })
  const upstreams = followUpstreams(context, connections, worker)
  const streamMetrics = new StreamMetrics(families)
  const streams = openStreamHub(context, pool, streamMetrics)
  const metrics = new ActionMetrics(families, monotonic)
  const watch = toldAttempts(telemetry ? tracedAttempts(metrics) : metrics, monotonic)
  const pools = new PoolMetrics(families, monotonic)
  const forwarding = {
    ...{ clock, connections, hosts, viaName: node },
    findUpstream: upstreams.table.find,
    codec: { decode: decodeBody, encode: encodeBody },
  }
  const { deliveries, desk, closeDeliveries } = openDeliveries(context, forwarding)
  const actions = openActions({
    ...{ ...forwarding, sessions: pool, streams, watch },
    handIn: (to, event) => deliveries.outbox.accept(to, event),
    manageEndpoint: (request) => managed(desk, request),
    allowedDynamicUris: config.wamp.allowed_dynamic_uris,
    roots: openRoots(config.files.roots),
    openFiles: new Semaphore({
      atOnce: config.limits.open_files,
      waiting: 10 * config.limits.open_files,
      refusal: 'too many requests already wait for a file',
    }),
    running: new RunningBranches(config.limits.parallel_actions),
  })
  const authentication = openHttpAuthentication(context, issuerBase)
  const { schemes } = authentication
  const reauthentication = new Reauthentication({ schemes, clock, yieldTurn })
  const openStreams = new OpenStreams({ clock, reauthentication })
  const openSockets = openSocketsOf(context, reauthentication)
  const publicBase = config.gateway.public_base_url
  const publication = openPublication({
    ...{ publicBase, issuerBase, findExamples, yieldTurn, log },
    scopeTexts: (realm_uri) => textsOfScopes(context.users.realms.realm(realm_uri)),
  })
  const endpoints = {
    ...authentication.endpoints,
    ...publication.endpoints,
  }
  const callStreams = new CallStreams({ clock, bufferBytes: config.limits.call_buffer })
  const policies = openPolicies({ ...context, sessions: pool, encode: encodeBody })
  const gateway = new Gateway({
    ...{ clock, schemes, endpoints, callStreams, openStreams, pools },
    sockets: openSockets,
    onUnrendered: unrenderedLog(clock, log),
    actions: actions.table,
    cors: config.gateway.cors,
    policies: policies.ports,
    callers: {
      gatewayRole,
      tellsAllRoles: config.wamp.url === undefined,
      rolesOf(realm_uri, authid) {
        const user = context.users.realms.realm(realm_uri)?.users.get(authid)
        return user && rolesOf(user)
      },
    },
    pageOf: authentication.pageOf,
    publicPath: publicPath(config.gateway.public_base_url ?? ''),
    publicBase: issuerBase,
    tools: {
      pageOrigins: config.gateway.ws_allowed_origins,
      publicBase: authentication.baseOf,
      calls: new ToolMetrics(families),
    },
  })
  return {
    ...{ gateway, authentication, connections, deliveries, desk, upstreams, watch, pools },
    reauthentication,
    ...{ streams, openStreams, openSockets, callStreams, streamMetrics },
    policies,
    descriptions: publication.descriptions,
    async close() {
      await upstreams.close()
      await closeDeliveries()
      streams.close()
      await actions.close()
      await authentication.close()
      await policies.close()
    },
  }
}
