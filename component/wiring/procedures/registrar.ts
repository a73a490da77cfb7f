/** The procedures that the documents of this process register on their realms, and the calls that come. */
import type { Clock } from '#component/clock.ts'
import { canceled, type Issue, ServiceError } from '#component/errors.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import type { FailureReport } from '#component/gateway/failure-report.ts'
import type { Gateway } from '#component/gateway/handle.ts'
import { type Decode, yieldedOf } from '#component/gateway/invocations/answer.ts'
import { isFromGateway } from '#component/gateway/invocations/caller.ts'
import type { InvocationExchange } from '#component/gateway/invocations/invocation.ts'
import { LogThrottle } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { gatewayRole } from '#component/realm/logins.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'
import { traceMembers } from '#component/telemetry/trace-members.ts'
import { traceFieldsOf } from '#component/telemetry/wamp-context.ts'
import type { IncomingCall } from '#component/wamp/registrations/callee.ts'
import type {
  RegistrationState,
  StandingRegistration,
} from '#component/wamp/registrations/standing-registrations.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import { cyclesOf } from './call-cycles.ts'
import type { CallOutcome, ProcedureMetrics } from './procedure-metrics.ts'

/** What registering needs. */
export interface RegistrarPorts {
  readonly gateway: Pick<Gateway, 'invoke'>
  readonly sessions: Pick<SessionPool, 'open'>
  readonly decode: Decode
  readonly metrics: ProcedureMetrics
  /** Begins the traces of calls; undefined: there are none. */
  readonly telemetry: Pick<Telemetry, 'beginCall'> | undefined
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number
  readonly log: Pick<Log, 'info' | 'error'>
  /** Receives a line for each call; undefined: calls are not logged. */
  readonly accessLog: Pick<Log, 'info'> | undefined
  /** A name for a call. */
  readonly newId: (now: number) => string
  /** Milliseconds that calls may take once the process stops. */
  readonly drainMs: number
}

type Entry = RouteEntry<Route>

/** One procedure of a document, as management tells it. */
export interface ProcedureStatus {
  readonly api_spec: string
  readonly realm_uri: string
  readonly procedure: string
  readonly match: string
  readonly invoke: string
  readonly state: RegistrationState
  /** Why the router has refused it. */
  readonly reason?: string
  /** The calls that have ended here since it is registered, by outcome. */
  readonly calls: Readonly<Record<CallOutcome, number>>
  /** When a call has ended last: milliseconds since the epoch; null: none has. */
  readonly called_at: number | null
}

/** A registration, and the document that answers now. */
interface Held {
  entry: Entry
  /** undefined: the process does not register yet. */
  registration: StandingRegistration | undefined
  /** As {@link ProcedureStatus} has them. */
  readonly calls: Record<CallOutcome, number>
  called_at: number | null
}

/** The status of a call that nobody waits for any more, in spans. */
const clientClosed = 499

/** Milliseconds that a load waits for the answer of the router. */
const settleMs = 2_000

/** Of one procedure and error. */
const linesOfCause = { lines: 10, intervalMs: 1_000, senders: 1_000 }

/** A load that leaves these alone keeps the registration. */
function keyOf({ realm_uri, procedure }: Entry): string {
  const { match, invoke, uri } = procedure ?? {}
  return `${realm_uri}\n${match}\n${invoke}\n${uri}`
}

const proceduresIn = (apis: readonly (readonly Entry[])[]): readonly Entry[] =>
  apis.flatMap((entries) => entries.filter(({ procedure }) => procedure !== undefined))

/** Whose words for an error are in the log. */
const stopped = (): ServiceError =>
  new ServiceError('service.error.unavailable', 'the gateway is stopping')

/** Of one process. */
export class Registrar {
  readonly #ports: RegistrarPorts
  readonly #throttle: LogThrottle
  readonly #held = new Map<string, Held>()
  readonly #open = new Set<InvocationExchange>()
  readonly #ending = new Set<Promise<void>>()
  readonly #registering = new Set<Promise<void>>()
  #isStarted = false
  #isStopped = false
  #whenIdle: (() => void) | undefined

  constructor(ports: RegistrarPorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, {
      ...linesOfCause,
      onLeftOut: (cause, lines) => ports.log.error({ cause, lines }, 'lines left out'),
    })
  }

  /** Follows the table that is served. Before {@link start} nothing is registered. */
  follow({ added, removed }: TableChange<Route>): void {
    const gone = new Map(proceduresIn(removed).map((entry) => [keyOf(entry), entry]))
    const fresh: Entry[] = []
    for (const entry of proceduresIn(added)) {
      const held = this.#held.get(keyOf(entry))
      gone.delete(keyOf(entry))
      if (held) held.entry = entry
      else fresh.push(entry)
    }
    for (const key of gone.keys()) this.#end(key)
    if (fresh.length === 0) return
    for (const entry of fresh) {
      const calls = { ok: 0, error: 0, canceled: 0 }
      this.#held.set(keyOf(entry), { entry, registration: undefined, calls, called_at: null })
    }
    if (!this.#isStarted) return
    // what is registered otherwise now is taken back first
    const ended = Promise.all(this.#ending)
    const registering = ended
      .then(() => Promise.all(fresh.map((entry) => this.#register(entry))))
      .then(() => void this.#registering.delete(registering))
    this.#registering.add(registering)
  }

  /** The node is ready. Resolves once the router has answered each registration, or does not answer now. */
  async start(): Promise<void> {
    this.#isStarted = true
    await Promise.all([...this.#held.values()].map(({ entry }) => this.#register(entry)))
  }

  /**
   * What became of the procedures of a document that has just been loaded or deleted, once the router has answered, or after two
   * seconds.
   * @returns a warning for each that the router refuses, and for each whose calls come back to it
   */
  async settled(api_spec: string): Promise<readonly Issue[]> {
    const under = [...this.#registering, ...this.#ending]
    if (under.length > 0) {
      const late = Promise.withResolvers<void>()
      const stopTimer = this.#ports.clock.after(settleMs, late.resolve)
      await Promise.race([Promise.all(under), late.promise])
      stopTimer()
    }
    const held = [...this.#held.values()]
    const refused = held.flatMap(({ entry, registration }) => {
      if (entry.api !== api_spec || registration?.state !== 'refused') return []
      const message = `the router refuses to register it, which is tried again every 10 s: ${registration.reason}`
      return [{ path: entry.path, message }]
    })
    const entries = held.map(({ entry }) => entry)
    return [...refused, ...cyclesOf(entries, api_spec)]
  }

  /** Takes all registrations back, and waits for the calls under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const key of [...this.#held.keys()]) this.#end(key)
    await Promise.all(this.#ending)
    if (this.#open.size === 0) return
    const { promise: idle, resolve } = Promise.withResolvers<void>()
    this.#whenIdle = resolve
    const { clock, drainMs } = this.#ports
    const stopTimer = clock.after(drainMs, () => {
      for (const exchange of this.#open) exchange.abort(stopped())
    })
    await idle
    stopTimer()
  }

  /** All procedures, by realm and URI. */
  states(): readonly ProcedureStatus[] {
    const rows = [...this.#held.values()].map((held): ProcedureStatus => {
      const { entry, registration, calls, called_at } = held
      const { api: api_spec, realm_uri, procedure } = entry
      const { uri = '', match = 'exact', invoke = 'roundrobin' } = procedure ?? {}
      const { state = 'waiting', reason } = registration ?? {}
      return {
        ...{ api_spec, realm_uri, procedure: uri, match, invoke, state },
        ...(reason !== undefined && { reason }),
        ...{ calls: { ...calls }, called_at },
      }
    })
    return rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }

  /** How many the router refuses. */
  get refused(): number {
    return this.states().filter(({ state }) => state === 'refused').length
  }

  /** For metrics. @param hasApiLabel whether `api` is a label */
  sources(hasApiLabel: boolean): MetricSources {
    return {
      gateway_registrations: {
        help: 'Procedures of documents by API and state of their registration: registered, standby (another session has it alone), refused by the router, waiting for the router.',
        labels: hasApiLabel ? ['api', 'state'] : ['state'],
        read: () => {
          const all = Map.groupBy(this.states(), ({ api_spec, state }) =>
            JSON.stringify(hasApiLabel ? { api: api_spec, state } : { state }),
          )
          return [...all].map(([labels, rows]) => ({
            labels: JSON.parse(labels) as Record<string, string>,
            value: rows.length,
          }))
        },
      },
    }
  }

  #end(key: string): void {
    const held = this.#held.get(key)
    this.#held.delete(key)
    if (held?.registration === undefined) return
    const ending = held.registration.end().then(() => void this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  async #register(entry: Entry): Promise<void> {
    const key = keyOf(entry)
    const held = this.#held.get(key)
    const { procedure, realm_uri } = entry
    if (!held || held.registration || !procedure || this.#isStopped) return
    const { uri, match, invoke } = procedure
    // what is the default is left out: some routers know no more
    const options = { ...(match !== 'exact' && { match }), ...(invoke !== 'single' && { invoke }) }
    const session = this.#ports.sessions.open(realm_uri)
    const { registration, tried } = session.serve({
      ...{ uri, options },
      handler: (call) => void this.#answer(held, call),
    })
    held.registration = registration
    await tried
  }

  /** Never rejects. */
  async #answer(held: Held, call: IncomingCall): Promise<void> {
    const { clock, decode, gateway, log, monotonic, newId, telemetry } = this.#ports
    const start = monotonic()
    const id = newId(clock.now())
    const { uri: procedure, args, kwargs, details } = call
    let exchange: InvocationExchange | undefined
    let route: CompiledOperation | undefined
    let isGone = false
    call.onGone(() => {
      isGone = true
      exchange?.abort(undefined)
    })
    let error_uri: string | undefined
    let status = 500
    try {
      const called = { id, procedure, args, kwargs, details }
      const reply = await gateway.invoke(
        held.entry,
        called,
        (begun, operation) => {
          exchange = begun
          route = operation
          const { inherited, path } = operation
          begun.trace = telemetry?.beginCall(
            {
              realm_uri: path.version.realm_uri,
              headers: traceFieldsOf(details, kwargs, inherited.traceKwargs),
              isFromProxy: isFromGateway(details, gatewayRole),
            },
            start,
          )
          this.#open.add(begun)
          if (isGone) begun.abort()
        },
        (piece) => call.progress(piece),
      )
      const yielded = yieldedOf(reply, decode)
      error_uri = yielded.error_uri
      if (error_uri === undefined) call.yield(yielded)
      else call.fail({ ...yielded, error_uri })
      const { failure } = reply
      status = reply.status
      if (failure !== undefined && status >= 500) {
        const trace_id = exchange?.trace?.context.traceId
        this.#tell({ request_id: id, ...(trace_id && { trace_id }), ...failure })
      }
    } catch (err) {
      const known = err instanceof ServiceError ? err : undefined
      error_uri = known?.uri ?? 'service.error.internal'
      const message = known?.message ?? 'the procedure failed'
      call.fail({ error_uri, args: [message], kwargs: {} })
      if (!known) {
        const text = 'a call of a procedure failed because of a bug in the gateway'
        log.error({ err, request_id: id, procedure }, text)
      }
    }
    const outcome: CallOutcome = isGone ? 'canceled' : error_uri === undefined ? 'ok' : 'error'
    if (isGone) [status, error_uri] = [clientClosed, canceled().uri]
    held.calls[outcome] += 1
    held.called_at = clock.now()
    this.#over({ id, exchange, route, outcome, status, error: error_uri, start })
  }

  /** A procedure that fails would fill the log. */
  #tell(line: FailureReport & { readonly request_id: string }): void {
    const { pointer, error } = line
    if (!this.#throttle.admits(`${line.api_spec} ${pointer} ${error}`)) return
    this.#ports.log.error(line, 'a call of a procedure failed')
  }

  #over(ended: {
    readonly id: string
    readonly exchange: InvocationExchange | undefined
    readonly route: CompiledOperation | undefined
    readonly outcome: CallOutcome
    readonly status: number
    readonly error: string | undefined
    readonly start: number
  }): void {
    const { accessLog, metrics, monotonic } = this.#ports
    const { id, exchange, route, outcome, status, error, start } = ended
    const trace = exchange?.trace
    const duration = monotonic() - start
    if (route) {
      metrics.over(route, outcome, duration / 1000)
      trace?.over({ served: route.path, status, error })
    }
    accessLog?.info(
      {
        request_id: id,
        ...(trace && traceMembers(trace)),
        // as the document registers it: of a pattern the URI is data of the caller
        procedure: route?.path.pattern,
        api_spec: route?.path.version.api,
        ...{ outcome, error, duration },
      },
      'call',
    )
    if (exchange) this.#open.delete(exchange)
    if (this.#open.size === 0) this.#whenIdle?.()
  }
}

const nameOf = ({ realm_uri, procedure, match }: ProcedureStatus): string =>
  `${realm_uri} ${procedure} ${match}`
