/** Runs the real gateway on a described request with stand-ins for all that is outside of it: nothing is performed. */
import type { ForwardPorts } from '#component/action/forward/perform.ts'
import { openActions } from '#component/action/index.ts'
import { forEachType } from '#component/action/kinds.ts'
import type { SubscribePorts } from '#component/action/wamp-subscribe/perform.ts'
import type { Clock } from '#component/clock.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { Gateway } from '#component/gateway/handle.ts'
import type { Caller, CallerPorts } from '#component/gateway/invocation.ts'
import { yieldedOf } from '#component/gateway/invocations/answer.ts'
import { InvocationExchange } from '#component/gateway/invocations/invocation.ts'
import type { Yielded } from '#component/gateway/invocations/yielding.ts'
import { type GatewayPorts, unknownCallers } from '#component/gateway/ports.ts'
import { rehearsedPorts } from '#component/policies/index.ts'
import type { Match, Missed, RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import type { Schemes } from '#component/security/scheme.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { DescribedCall, DescribedRequest, GivenOutcome } from './asked.ts'
import { type CalledTool, calledTool, pathOf } from './called-tool.ts'
import { type AuthOf, givenWorld } from './given-world.ts'
import { type Recorded, type RecordSettings, RequestRecord } from './record.ts'
import type { Recorder } from './recorder.ts'
import { nobody, stillClock } from './stand-ins.ts'

/** One event of a stream as its client reads it. */
export interface SentFrame {
  readonly id?: string
  /** Its name. */
  readonly event?: string
  /** The value of its JSON. */
  readonly data: unknown
}

/** An answer as it would leave. */
export interface SentReply {
  readonly status: number
  /** Lower-case names; a list where a field repeats. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The value that is encoded; else a text, or bytes that are no text. `""`: none. */
  readonly body: unknown
  /** Of a stream, in order, what it tells of the events that were given; absent: the answer is none. */
  readonly frames?: readonly SentFrame[]
  /** Of a stream: whether the connection was cut before its end. */
  readonly isCut?: true
}

/** HTTP, which stands above this room. */
export interface RehearsedHttp {
  /**
   * Reads a request as one that comes over a socket.
   * @param keepsSlashes whether the path that a request finds takes an escaped slash as text
   * @returns the answer where it is malformed
   */
  read(
    request: DescribedRequest,
    id: string,
    clock: Clock,
    keepsSlashes: (host: string, path: string) => boolean,
  ): Exchange | SentReply
  /** The client of a request that has been read goes away. */
  leave(exchange: Exchange): void
  /**
   * The answer as it would leave; one that cannot be encoded becomes an error as ever.
   * @param play called when a stream has begun, with its end; settles when all has come that was given
   */
  send(
    exchange: Exchange,
    reply: Reply,
    play: (over: Promise<void>) => Promise<void>,
  ): Promise<SentReply>
}

/** What all rehearsals share. */
export interface RehearsalPorts
  extends RecordSettings,
    Pick<ForwardPorts, 'hosts' | 'viaName'>,
    Pick<SubscribePorts, 'allowedDynamicUris'>,
    Pick<GatewayPorts, 'cors' | 'publicPath'> {
  readonly http: RehearsedHttp
  /** Whether rate limits are told, as they hold for a first request; else they do not hold. */
  readonly tellsLimits?: boolean
  /** The `auth` of an upstream, as its realm has it; absent: no realm is known. */
  readonly authOf?: AuthOf
  /** The roles that a realm gives a caller whose roles are not named; absent: no realm is known. */
  readonly rolesOf?: CallerPorts['rolesOf']
}

/** What decides the answer beside what is asked. */
export interface Circumstances {
  /** One for all actions, or a list: the first is that of the first action, the last one of all others; absent: a sample. */
  readonly outcome?: GivenOutcome | readonly GivenOutcome[] | undefined
  /** The id of the request. */
  readonly id: string
  /** The time, which stands still; milliseconds since the epoch. */
  readonly now: number
  /** Equal texts give equal random numbers. */
  readonly seed: string
}

/** One request, and all that decides its answer. */
export interface Rehearsed extends Circumstances {
  readonly request: DescribedRequest
  /** Who may pass, and as whom. */
  readonly schemes: Schemes
}

/** One call of a procedure, and all that decides its answer. */
export interface RehearsedCall extends Circumstances {
  readonly call: DescribedCall
}

/** How a call went. */
export interface CallRehearsal extends Recorded {
  readonly reply: Reply
  /** The progressive results, for a caller whose details have `receive_progress`. */
  readonly progress: readonly Yielded[]
  /** The result or the error that the caller gets. */
  readonly yielded: Yielded
}

/** How a request went. */
export interface Rehearsal extends Recorded {
  /** Absent where the request is malformed, or no host and path match. */
  readonly match?: Match<Route> | Missed<Route>
  /** The tool that it calls, whose operation it is. */
  readonly called?: CalledTool
  /** Absent where the gateway does not answer: no path matches, or a generated endpoint does, which is not run. */
  readonly reply?: Reply
  readonly sent?: SentReply
}

/** Outcomes in the order in which the actions are performed. */
function givenIn(
  outcome: Rehearsed['outcome'],
  operation: CompiledOperation | undefined,
): readonly (GivenOutcome | undefined)[] {
  const { action, steps = action && [action] } = operation ?? {}
  const isList = operation?.steps !== undefined
  const all = isList ? [outcome].flat() : [outcome]
  return all.flatMap((one, index) => {
    const branches = steps?.[index]?.branches
    if (branches === undefined || branches.list || !isMap(one)) return one as GivenOutcome
    const named = branches.all.some(({ name }) => Object.hasOwn(one, name))
    if (!named) return one as GivenOutcome
    return branches.all.flatMap(({ name, plans }) => {
      const of = [
        (one as JsonMap)[name] as GivenOutcome | readonly GivenOutcome[] | undefined,
      ].flat()
      return plans.map((_, at) => of[at] ?? of.at(-1) ?? sample)
    })
  })
}

/** A sample of each type of action is its empty result. */
const sample: GivenOutcome = { result: {} }

/** The outcome of the first, second, … action that is performed. */
function outcomesOf(
  outcome: Rehearsed['outcome'],
  operation: CompiledOperation | undefined,
): (index: number) => GivenOutcome {
  const given = givenIn(outcome, operation)
  return (index) => given[index] ?? given.at(-1) ?? sample
}

/** What the embedded router tells of a caller. */
const detailsOf = ({ session, authid, authroles, authrole = authroles?.[0] }: Caller) => ({
  ...(session !== undefined && { caller: session }),
  ...(authid !== undefined && { caller_authid: authid }),
  ...(authrole !== undefined && { caller_authrole: authrole }),
  ...(authroles !== undefined && { _caller_authroles: authroles }),
})

/** Rehearses requests to the routes of one table; several at a time if need be. */
export class Rehearser {
  readonly #table: RoutingTable<Route>
  readonly #ports: RehearsalPorts
  readonly #recorder: Recorder | undefined

  /** @param recorder that the table was compiled with */
  constructor(table: RoutingTable<Route>, ports: RehearsalPorts, recorder?: Recorder) {
    this.#table = table
    this.#ports = ports
    this.#recorder = recorder
  }

  /** Resolves for every request; rejects for a bug only. */
  async run({ request, schemes, outcome, id, now, seed }: Rehearsed): Promise<Rehearsal> {
    const { http, codec } = this.#ports
    const clock = stillClock(now, seed)
    const nothing = { checks: [], actions: [], expressions: [] }
    const keepsSlashes = (host: string, path: string) => this.#table.keepsSlashes(host, path)
    const exchange = http.read(request, id, clock, keepsSlashes)
    if ('status' in exchange) return { ...nothing, sent: exchange }
    const match = this.#table.match(exchange.host, exchange.path, exchange.method)
    if (match === undefined) return nothing
    const route = match.kind === 'match' ? match.route : undefined
    const called = route?.kind === 'mcp' ? await calledTool(exchange, route) : undefined
    if (route?.kind !== undefined && !called) return { ...nothing, match }

    const operation = route?.kind === undefined ? route : called?.tool.operation
    const serving = operation && { operation, tool: called?.tool }
    const recorder = this.#recorder
    const record = new RequestRecord({ settings: this.#ports, exchange, serving, recorder })
    let reply: Reply | undefined
    // an answer that still waits for an event gets none: its client goes
    const onPlayed = () => setImmediate(() => reply ?? http.leave(exchange))
    const onBody = (bytes: Uint8Array) => record.received(bytes)
    const onChunks = (sizes: readonly number[]) => record.chunked(sizes)
    const world = givenWorld(outcomesOf(outcome, operation), {
      ...{ codec, clock, onPlayed, onBody, onChunks },
      authOf: this.#ports.authOf,
    })
    const gateway = this.#gateway(clock, schemes, world)
    reply = await record.during(() => gateway.handle(exchange))
    if (reply === undefined) throw new TypeError('the gateway does not match what its table does')
    const sent = await record.during(() =>
      http.send(exchange, reply, async (over) => {
        await world.play()
        // the answer of a call ends its stream
        if (record.outcome?.stream?.kind === 'call') await over
      }),
    )
    const path = called ? pathOf(called) : match.entry.path
    return { match, ...(called && { called }), ...record.resultOf(path), reply, sent }
  }

  /** Rehearses a call of a procedure of an entry that is compiled. Resolves for every call; rejects for a bug only. */
  async call(
    { path, routes: { get, post } }: RouteEntry<Route>,
    { call, outcome, id, now, seed }: RehearsedCall,
  ): Promise<CallRehearsal> {
    const { codec, authOf } = this.#ports
    const clock = stillClock(now, seed)
    const operation = (get ?? post) as CompiledOperation
    const { procedure, args = [], kwargs = {}, caller = {} } = call
    const details = { ...call.details, ...detailsOf(caller) }
    const progress: Yielded[] = []
    const exchange = new InvocationExchange(
      { id, procedure, args, kwargs, details },
      get ? 'get' : 'post',
      (piece) => void progress.push(piece),
    )
    const recorder = this.#recorder
    const serving = { operation }
    const record = new RequestRecord({ settings: this.#ports, exchange, serving, recorder })
    const world = givenWorld(outcomesOf(outcome, operation), { codec, clock, authOf })
    const gateway = this.#gateway(clock, nobody, world)
    const reply = await record.during(() => gateway.answerCall(exchange, operation))
    const yielded = yieldedOf(reply, codec.decode)
    return { ...record.resultOf(path), reply, progress, yielded }
  }

  /**
   * The real gateway with stand-ins for all that a rehearsal must not do. Actions send once, to a given world; `schemes` prove no single
   * use and count no guesses; limits are those of a first request; quotas, kept answers, idempotency, circuit breakers and endpoints have
   * nothing that holds them. The table is compiled without a counter of schema mismatches.
   */
  #gateway(clock: Clock, schemes: Schemes, { world }: ReturnType<typeof givenWorld>): Gateway {
    const { codec, cors, publicPath, tellsLimits, rolesOf } = this.#ports
    let begun = -1
    const actions = openActions({ ...this.#ports, clock, ...world(() => begun) }).table
    const gateway = new Gateway({
      ...{ clock, cors, schemes },
      ...(publicPath !== undefined && { publicPath }),
      actions: forEachType((type) => ({
        perform(fields, run) {
          // given outcomes are those of the actions that it performs, one after the other
          if (run.branches) return actions[type].perform(fields, run)
          begun += 1
          // a given outcome is what the action comes to in the end
          const attempts = { ...run.attempts, retries: 0 }
          return actions[type].perform(fields, { ...run, attempts })
        },
      })),
      policies: rehearsedPorts({ clock, encode: codec.encode, tellsLimits }),
      callers: { ...unknownCallers, tellsAllRoles: true, ...(rolesOf && { rolesOf }) },
    })
    gateway.table = this.#table
    return gateway
  }
}
