/** The listeners: routed requests first, everything else to Koa; opened, drained and closed together. */
import type { Server } from 'node:http'
import { ServiceError } from '#component/errors.ts'
import { InFlight } from '#component/in-flight.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import type { Quota } from '#component/limits/quota.ts'
import type { Log } from '#component/log.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import type { Families } from '#component/metrics/families.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { type AdminConsole, adminFallback } from '#http/console/admin-fallback.ts'
import { Connections } from '#http/limits/connections.ts'
import { heldBytes, pipelinedBytes, streamedBodies } from '#http/limits/held-bytes.ts'
import { LoadShedding } from '#http/limits/load-shedding.ts'
import { FailureLog } from '#http/log/failure-log.ts'
import {
  sharesGatewayListener,
  trustsLocalRequests,
  warnOfSharing,
} from '#http/management/access.ts'
import { healthRouter, koaFallback } from '#http/management/admin.ts'
import { type ManagementPorts, managementRouter, metricsFor } from '#http/management/api-specs.ts'
import { type ListenerState, listenerSources } from '#http/management/listener-metrics.ts'
import { type MetricSiblings, Metrics } from '#http/management/metrics.ts'
import { withOwnPaths } from '#http/management/own-paths.ts'
import { TlsContexts } from '#http/tls/tls-contexts.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import { type BodyBytes, bodyBytes } from './body/body-bytes.ts'
import {
  createListener,
  giveUp,
  type Listener,
  type ListenerPorts,
  noRoute,
  type Router,
  refuseAll,
  switchesProtocol,
} from './gateway.ts'
import { createHandler, type Handler, type KnowingRouter } from './handler.ts'
import { listen, makeServer, type ServerPlan } from './node-server.ts'
import {
  type Address,
  type Addresses,
  clientFaces,
  type Face,
  type HttpOptions,
  type Listen,
  parseListen,
} from './options.ts'
import { TrustedProxies } from './peer.ts'
import type { HttpExchange } from './read-request.ts'
import { Http2Connections, noneClosed } from './transport/http2-connections.ts'
import { type WebSocketTarget, webSocketUpgrade } from './websocket.ts'

/** Dependencies of the listeners. */
export interface HttpPorts
  extends Omit<ManagementPorts, 'trustsLocal' | 'isClosing'>,
    Pick<ListenerPorts, 'streams' | 'telemetry' | 'watched'> {
  readonly options: HttpOptions
  readonly log: Log
  /** Bytes that may be held for all peers of the process. */
  readonly budget: Quota
  /** Log of the request lines, which hold no secrets and are not redacted. Absent: {@link log}. */
  readonly accessLog?: Log
  /** Counts refused logins; absent: nothing does. */
  readonly logins?: LoginCounts
  /** Absent: what limits refuse is counted for nobody. */
  readonly usage?: LimitUsage
  readonly gateway: Router
  readonly webSocket: WebSocketTarget
  readonly metrics: MetricSources
  /** The paths of documents that are served now. */
  servedPaths(): Iterable<ServedPath>
  /** What is counted by place. */
  readonly families: Families
  /** What the gateway listener serves HTTPS with; absent: it serves HTTP. */
  readonly tls?: TlsSetup | undefined
  /** The other processes of this gateway, if there are any. */
  readonly siblings?: MetricSiblings | undefined
  /** Provides a server with connections; absent: the server listens itself. Resolves with the listening address. */
  readonly listen?: ((server: Server, address: Address, face: Face) => Promise<Address>) | undefined
  /** Absent: there is no console. */
  readonly console?: AdminConsole | undefined
  /** Whether the store is open, everything is compiled, and the first exchange is done. */
  isReady(): boolean
  /** Current problems, one sentence each, such as a lost router; while the node is not ready, the reasons why. */
  problems(): readonly string[]
}

/** How often idle connections are closed while the last requests are served; milliseconds. */
const sweepInterval = 250
/** How long answers to cancelled requests may take to leave; milliseconds. */
const lastAnswers = 1000

const forNow = (message: string): ServiceError =>
  new ServiceError('service.error.unavailable', message, { headers: { 'retry-after': '1' } })

/** Before the listeners are open. */
const noHttp2 = { size: 0, closed: noneClosed }

/** Opens all listeners; rejects when one of the addresses is taken. */
export async function startListeners(ports: HttpPorts): Promise<Listeners> {
  const listeners = new Listeners(ports)
  await listeners.open()
  return listeners
}

/** The open listeners of the process. */
export class Listeners {
  /** What HTTPS is served with. */
  readonly tls: TlsContexts
  readonly addresses: Addresses = { gateway: [], admin: [], health: [], router: [] }
  readonly #ports: HttpPorts
  readonly #servers: { readonly face: Face; readonly server: Server }[] = []
  readonly #exchanges = new InFlight<HttpExchange, number>()
  readonly #metrics: Metrics
  readonly #usage: LimitUsage
  readonly #held: ListenerPorts['held']
  readonly #streamed: ListenerPorts['streamed']
  readonly #bodies: BodyBytes
  readonly #shedding: LoadShedding
  readonly #connections: Connections
  #http2: Http2Connections | undefined
  #closePipes: () => void = () => undefined
  #isDraining = false
  #wasReady = false

  constructor(ports: HttpPorts) {
    this.#ports = ports
    this.#usage = ports.usage ?? new LimitUsage()
    this.#connections = new Connections(ports.options.limits, this.#usage)
    this.tls = new TlsContexts(ports.tls, ports.clock)
    const { clock, siblings, yieldTurn, procedures, families } = ports
    const isShedding = ports.options.limits.load_shedding ?? true
    this.#shedding = new LoadShedding(clock, this.#exchanges, isShedding)
    const sources = { ...listenerSources(() => this.#state()), ...ports.metrics }
    families.served = withOwnPaths(procedures, () => ports.servedPaths())
    this.#metrics = new Metrics({ families, sources, siblings, yieldTurn })
    this.#held = heldBytes(ports.budget, this.#usage)
    this.#bodies = bodyBytes(families)
    this.#streamed = streamedBodies(ports.options.limits.streamed_bodies ?? 1_000, this.#usage)
  }

  /** Serves requests that come by a server of the host process, as the gateway listener would. */
  handler(router: KnowingRouter): Handler {
    return createHandler(this.#gatewayPorts(), router)
  }

  /** Requests in flight, without the streams of events that are open. */
  get inFlight(): number {
    return this.#exchanges.size - (this.#ports.streams?.open ?? 0)
  }

  async open(): Promise<void> {
    const { options, clock, log, webSocket, budget } = this.#ports
    const { gateway, admin, health, router, limits } = options
    const isClosing = () => this.#isDraining
    const gatewayPorts = this.#gatewayPorts()
    const { proxies } = gatewayPorts
    const isShared = sharesGatewayListener(options)
    const trustsLocal = trustsLocalRequests(options)
    if (isShared && trustsLocal) warnOfSharing(options, log)
    const managementPorts = { ...this.#ports, isClosing }
    const { upgrade, close } = webSocketUpgrade({
      target: webSocket,
      clock,
      proxies,
      failures: gatewayPorts.failures,
      allowedOrigins: gateway.ws_allowed_origins,
      isClosing,
      unready: () => this.#unready(),
    })
    this.#closePipes = close

    const rest = isShared
      ? koaFallback(gatewayPorts, [managementRouter({ ...managementPorts, trustsLocal })])
      : refuseAll(gatewayPorts)
    const gatewayListener = createListener(gatewayPorts, this.#ports.gateway, rest)
    const adminPorts = this.#listenerPorts(proxies, false)
    const ownState = {
      isReady: () => this.#isReady(),
      problems: () =>
        this.#isDraining
          ? ['it is stopping']
          : [...this.#ports.problems(), ...this.#shedding.problems()],
      metrics: this.#metrics,
    }
    const ownPorts = { ...managementPorts, ...ownState, trustsLocal: true }
    const state = healthRouter(ownState)
    const checked = healthRouter({ ...ownState, metricsFor: metricsFor(ownPorts) })
    const own = adminFallback(ownPorts, adminPorts, checked, this.addresses.gateway)
    const adminListener = createListener(adminPorts, undefined, own)
    const none = createListener(adminPorts, undefined, refuseAll(adminPorts))
    const isProxy = (address: string) => proxies.has(address)
    const connections = this.#connections
    const plain = { limits, connections, isProxy, pipelined: pipelinedBytes(budget, this.#usage) }
    const tls = this.tls.isSecure ? this.tls : undefined
    if (this.#offersHttp2) this.#http2 = this.#openHttp2(gatewayListener, isProxy)
    const brokenHeaders = this.#ports.gateway.headersOf?.(noRoute())
    const switches = switchesProtocol(gatewayPorts, this.#ports.gateway)
    const routed = {
      ...{ ...plain, tls, listener: gatewayListener, upgrade, brokenHeaders },
      http2: this.#http2,
      switchesProtocol: switches,
    }
    if (health.listen !== undefined) {
      const listener = createListener(adminPorts, undefined, koaFallback(adminPorts, [state]))
      await this.#listen('health', health.listen, { ...plain, listener })
    }
    await this.#listen('admin', admin.listen, { ...plain, listener: adminListener })
    await this.#listen('gateway', gateway.listen, { ...routed, upgradePaths: ['/ws'] })
    const sessions = { ...plain, listener: none, upgrade, upgradePaths: ['/', '/ws'] }
    await this.#listen('router', router.listen ?? [], sessions)
    this.#shedding.start()
  }

  /** Opens the servers of one face; when an address is taken nothing stays open. */
  async #listen(face: Face, where: Listen, plan: ServerPlan): Promise<void> {
    const { listen: bind = listen } = this.#ports
    for (const address of parseListen(where)) {
      const server = makeServer(plan)
      const bound = await bind(server, address, face).catch((error: unknown) => {
        this.#destroy()
        throw error
      })
      server.on('error', (error) => this.#ports.log.error({ err: error }, 'a listener failed'))
      this.#servers.push({ face, server })
      this.addresses[face].push(bound)
    }
  }

  get #offersHttp2(): boolean {
    return this.tls.isSecure && this.#ports.options.gateway.http2
  }

  #openHttp2(listener: Listener, isProxy: (address: string) => boolean): Http2Connections {
    return new Http2Connections({
      isProxy,
      limits: this.#ports.options.limits,
      clock: this.#ports.clock,
      held: this.#held,
      isSameCertificate: (served, host) => this.tls.hasSameCertificate(served, host),
      isClosing: () => this.#isDraining,
      serve: (transport) => listener(transport, transport.isWaiting),
    })
  }

  #gatewayPorts(): ListenerPorts {
    const { gateway } = this.#ports.options
    const proxies = new TrustedProxies(gateway.trusted_proxies, gateway.forwarded_header)
    const ports = this.#listenerPorts(proxies, this.tls.isSecure)
    const { gateway: router, watched } = this.#ports
    const headersOf: Router['headersOf'] = (exchange) => router.headersOf?.(exchange) ?? {}
    const pageOf: Router['pageOf'] = (exchange) => router.pageOf?.(exchange)
    return { ...ports, clients: this.tls.clients, watched, headersOf, pageOf }
  }

  #listenerPorts(proxies: TrustedProxies, isSecure: boolean): ListenerPorts {
    const { clock, log, logins, options, streams, telemetry } = this.#ports
    const accessLog = options.log.access ? (this.#ports.accessLog ?? log) : undefined
    return {
      ...{ clock, log, accessLog },
      failures: new FailureLog(clock, log, logins),
      metrics: this.#metrics,
      ...{ streams, telemetry, proxies, isSecure },
      ...{ held: this.#held, streamed: this.#streamed, bodies: this.#bodies },
      isClosing: () => this.#isDraining,
      refusal: (exchange) => this.#refusal(exchange),
      exchanges: this.#exchanges,
      workload: this.#shedding.workload,
    }
  }

  #state(): ListenerState {
    return {
      ...this.#shedding.state,
      inFlight: this.inFlight,
      isReady: this.#isReady(),
      connections: this.#connections.open,
      http2: this.#offersHttp2 ? (this.#http2 ?? noHttp2) : undefined,
      tls: this.tls.setup,
    }
  }

  #isReady(): boolean {
    return !this.#isDraining && this.#ports.isReady()
  }

  /** The reason to refuse a routed request: readiness counts until it is first reached, later only overload does. */
  #refusal(exchange: HttpExchange): ServiceError | undefined {
    const unready = this.#unready()
    if (unready) return unready
    return this.#shedding.refuses(exchange) ? forNow('this node is overloaded') : undefined
  }

  /** The reason to refuse what comes before the node has first been ready. */
  #unready(): ServiceError | undefined {
    this.#wasReady ||= this.#ports.isReady()
    return this.#wasReady ? undefined : forNow('this node is not ready yet')
  }

  /** Begins draining: `/ready` is 503, requests are still served, and each answer closes its connection. */
  begin(): void {
    this.#isDraining = true
    this.#http2?.drain()
  }

  /**
   * Stops accepting connections of clients, waits at most `gateway.drain_timeout` for the requests in flight, answers the rest
   * with 504, and closes everything.
   */
  async finish(): Promise<void> {
    this.begin()
    const { clock, options } = this.#ports
    for (const { face, server } of this.#servers) if (clientFaces.includes(face)) server.close()
    this.#http2?.drain()
    const end = clock.now() + options.gateway.drain_timeout
    await this.#sweep(end)
    for (const exchange of this.#exchanges.keys()) giveUp(exchange, this.#ports.gateway)
    await this.#sweep(clock.now() + lastAnswers)
    this.#destroy()
  }

  /** Closes idle connections repeatedly, until no request is in flight or `end` is reached. */
  async #sweep(end: number): Promise<void> {
    const { clock } = this.#ports
    for (;;) {
      for (const { server } of this.#servers) server.closeIdleConnections()
      const left = end - clock.now()
      if (this.#exchanges.size === 0 || left <= 0) return
      await new Promise<void>((resolve) => clock.after(Math.min(sweepInterval, left), resolve))
    }
  }

  #destroy(): void {
    this.#shedding.stop()
    this.#metrics.close()
    this.#closePipes()
    for (const { server } of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
    this.tls.close()
    this.#http2?.destroy()
    // node:http does not know the connections of endless streams any more
    for (const { transport } of this.#exchanges.keys()) transport.reset()
  }
}
