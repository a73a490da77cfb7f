/** `cache` of routes: answers are kept, and served again while they are fresh (RFC 9111, RFC 5861). */
import type { Outcome } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import { answerFrom } from '#component/gateway/answer.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { evaluateAttempts } from '#component/gateway/evaluate.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { etag } from '#component/policies/etag/kind.ts'
import { CacheControl } from '#component/syntax/cache-control.ts'
import { type KeepPorts, keepAnswer } from './answer-keeping.ts'
import { CacheKeys, isOfUser, type Negotiated, pathLabel } from './cache-key.ts'
import { type CacheStatus, hitReply, markedPolicy, withPolicy, withStatus } from './cached-reply.ts'
import { FillingExchange } from './filling-exchange.ts'
import { discard, Flight, isFailure, type Landed } from './flight.ts'
import { cache } from './kind.ts'
import type { CachePlan } from './plan.ts'
import { documentLabel, ruleLabel } from './purge-labels.ts'
import { type Fill, isSelected, type Kept, type ResponseCache } from './response-cache.ts'

/** What caching needs. */
export interface CachePorts extends KeepPorts {
  readonly cache: ResponseCache
  readonly clock: Clock
  /** Whether every event that a rule waits for comes: nothing is kept while it does not. Absent: it does. */
  readonly isHeard?: (rule: { readonly realm_uri: string; readonly plan: CachePlan }) => boolean
  /** Told how a request was answered. */
  readonly onAnswered?: (route: CompiledOperation, how: CacheStatus['how']) => void
}

/** A request that passed security, and how its action is run. */
export interface CachedRequest extends Negotiated {
  readonly plan: CachePlan
  readonly exchange: Exchange
  readonly route: CompiledOperation
  /** The configured CORS headers of its answer. */
  readonly policy: Headers
  /** How long it waits for the answer to another; milliseconds. ExpressionError. */
  timeoutMs(): number
  act(exchange: Exchange, run?: FillRun): Promise<Reply>
}

/** A run whose answer may be kept. */
interface FillRun {
  /** Stands for the configured CORS headers. */
  readonly policy: Headers
  /** Told of the outcome, and of what the expressions of the answer read. */
  readonly saw: (outcome: Outcome, context: Context) => void
}

/** An answer, and how it came. */
export interface Answered {
  readonly reply: Reply
  readonly how: CacheStatus['how']
}

/** How often a request waits for others before it acts for itself. */
const maxWaits = 2

/** What a process keeps, and the runs under way. */
export class Caching {
  readonly #ports: CachePorts
  readonly #keys = new CacheKeys()
  /** By key: runs that requests may wait for. */
  readonly #flights = new Map<string, Flight>()

  constructor(ports: CachePorts) {
    this.#ports = ports
  }

  /** The answer: a kept one at once, or that of the action. ServiceError 504, or rejects as the action does. */
  answer(request: CachedRequest): Answered | Promise<Answered> {
    const { exchange, route } = request
    const control = exchange.header('cache-control')
    const isOnlyCached = control !== undefined && new CacheControl(control).has('only-if-cached')
    if (exchange.hasBody || route.streams || exchange.header('range') !== undefined) {
      if (isOnlyCached) throw notCached()
      return request
        .act(exchange)
        .then((reply) => this.#told(request, reply, { how: 'bypass', fwd: 'bypass' }))
    }
    return this.#find(request, isOnlyCached, 0)
  }

  /** An unsafe request has succeeded (RFC 9111 §4.4). */
  changed(exchange: Pick<Exchange, 'host' | 'path'>): void {
    const { cache } = this.#ports
    if (!cache.isIdle) cache.purge(pathLabel(exchange))
  }

  /** The answer, with conditions that its action has not seen. @param hasTags whether it gets an ETag */
  leave(exchange: Exchange, reply: Reply, hasTags: boolean): Reply {
    const { conditions } = this.#ports
    return conditions.answerKept(exchange, hasTags ? conditions.tagged(exchange, reply) : reply)
  }

  #find(
    request: CachedRequest,
    isOnlyCached: boolean,
    waits: number,
  ): Answered | Promise<Answered> {
    const { cache, clock } = this.#ports
    const { plan, exchange, route } = request
    const base = this.#keys.baseOf(plan, exchange, route, request)
    const key = cache.keyOf(base, (name) => exchange.header(name))
    const kept = this.#usable(request, cache.find(key))
    const overMs = kept ? clock.now() - kept.freshUntil : Number.POSITIVE_INFINITY
    if (kept && overMs < 0) return this.#hit(request, kept, { how: 'hit' })
    if (kept?.mayBeStale && overMs < plan.whileRevalidateMs) {
      const isRefreshed = exchange.method !== 'head' && this.#joinable(key) === undefined
      if (isRefreshed) this.#refresh(request, key, base)
      return this.#hit(request, kept, { how: 'stale' })
    }
    if (isOnlyCached) throw notCached()
    const isStaleUsable = kept?.mayBeStale && overMs < plan.ifErrorMs
    const stale = isStaleUsable ? kept : undefined
    if (kept && overMs > Math.max(plan.whileRevalidateMs, plan.ifErrorMs)) cache.drop(key)
    const fwd = kept ? 'stale' : 'miss'
    const isAlone = isUncheckedlyAuthorized(request) || exchange.method === 'head'
    const flight = plan.coalesces && !isAlone ? this.#joinable(key) : undefined
    const leading: Leading = { key, base, isAlone: isAlone || flight !== undefined, stale, fwd }
    return flight === undefined || waits >= maxWaits
      ? this.#lead(request, leading)
      : this.#follow(request, flight, leading, waits)
  }

  /** Waits for the run of another request, and leads one of its own where that gives no answer for this one. */
  async #follow(
    request: CachedRequest,
    flight: Flight,
    leading: Leading,
    waits: number,
  ): Promise<Answered> {
    const { stale, fwd } = leading
    const landed = await this.#wait(request, flight)
    if (landed === undefined) return this.#lead(request, leading)
    if ('kept' in landed) {
      const isItsOwn = isSelected(landed.kept, (name) => request.exchange.header(name))
      if (isItsOwn) return this.#hit(request, landed.kept, { how: 'hit', fwd, isCollapsed: true })
      return this.#find(request, false, waits + 1)
    }
    if (stale && isFailure(landed)) return this.#hit(request, stale, { how: 'stale', fwd: 'stale' })
    return this.#lead(request, leading)
  }

  #joinable(key: string): Flight | undefined {
    const flight = this.#flights.get(key)
    return flight?.fill.isVoid ? undefined : flight
  }

  /** Requests with credentials that nobody has checked get only what is for all. */
  #usable(request: CachedRequest, kept: Kept | undefined): Kept | undefined {
    return kept && isUncheckedlyAuthorized(request) && !kept.isForAll ? undefined : kept
  }

  /** Runs the action for this request, and for those that come meanwhile unless it is alone. */
  async #lead(
    request: CachedRequest,
    { key, base, isAlone, stale, fwd }: Leading,
  ): Promise<Answered> {
    const { exchange, policy } = request
    const flight = this.#begin(request, base, key, exchange.trace, isAlone)
    const leave = flight.join(exchange)
    const landed = await flight.landed
    leave()
    if (stale && isFailure(landed)) {
      discard(landed)
      const fwdStatus = 'reply' in landed ? landed.reply.status : undefined
      return this.#hit(request, stale, { how: 'stale', fwd: 'stale', fwdStatus })
    }
    if ('error' in landed) throw landed.error
    if ('kept' in landed) {
      const { kept, isStored } = landed
      return this.#hit(request, kept, { how: 'miss', fwd, isStored })
    }
    const reply = withPolicy(landed.reply, policy)
    return this.#told(request, reply, { how: 'miss', fwd, detail: landed.reason })
  }

  /** Runs the action for nobody: the request was answered with what is stale. */
  #refresh(request: CachedRequest, key: string, base: string): void {
    const flight = this.#begin(request, base, key, undefined, false)
    void flight.landed.then(discard)
  }

  /** @param isAlone whether no other request may wait for it */
  #begin(
    request: CachedRequest,
    base: string,
    key: string,
    trace: Exchange['trace'],
    isAlone: boolean,
  ): Flight {
    const { cache } = this.#ports
    const { plan, route } = request
    const { api, realm_uri } = route.path.version
    const labels = [pathLabel(request.exchange), documentLabel(api), ruleLabel(api, plan)]
    const fill = cache.begin(labels)
    const hasPurges = plan.purges.length > 0
    if (hasPurges && this.#ports.isHeard?.({ realm_uri, plan }) === false) fill.isVoid = true
    const named = this.#keys.fieldsOf(route, plan)
    const exchange = new FillingExchange(request.exchange, trace, named)
    const run = async (): Promise<Landed> => {
      try {
        return await this.#run(request, exchange, { base, key }, fill)
      } catch (error) {
        return { error }
      } finally {
        cache.end(fill)
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
      }
    }
    // the action begins in a later turn of the microtasks, when the flight is known
    const flight: Flight = new Flight(exchange, fill, Promise.resolve().then(run))
    if (!isAlone) this.#flights.set(key, flight)
    return flight
  }

  async #run(
    request: CachedRequest,
    exchange: FillingExchange,
    { base, key }: Pick<Leading, 'base' | 'key'>,
    fill: Fill,
  ): Promise<Landed> {
    const { cache } = this.#ports
    const { plan, route } = request
    let outcome: Outcome | undefined
    let context: Context | undefined
    const reply = await request.act(exchange, {
      policy: markedPolicy,
      saw(seenOutcome, seenContext) {
        outcome = seenOutcome
        context = seenContext
      },
    })
    const answered = { exchange, route, reply, outcome, context }
    const isAuthorized = isUncheckedlyAuthorized(request)
    const facts = { isOfUser: isOfUser(plan, route), isAuthorized }
    const kept = await keepAnswer(plan, answered, facts, cache.maxEntryBytes, this.#ports)
    if ('reason' in kept) {
      const replaces = exchange.method === 'get' && !isAuthorized && !isFailure(kept)
      // what may not be kept takes the place of what was
      if (replaces) cache.drop(key)
      return kept
    }
    fill.labels.push(...kept.labels)
    const isStored = cache.keep(base, kept.kept, (name) => exchange.header(name), fill)
    return { kept: kept.kept, isStored }
  }

  /** How a run has ended; undefined where the request has waited for too long. Rejects when its client goes away. */
  #wait(request: CachedRequest, flight: Flight): Promise<Landed | undefined> {
    const { exchange } = request
    return new Promise((resolve, reject) => {
      const stop = this.#ports.clock.after(request.timeoutMs(), () => {
        leave()
        resolve(undefined)
      })
      const leave = flight.join(exchange, () => {
        stop()
        reject(canceled())
      })
      void flight.landed.then((landed) => {
        stop()
        leave()
        resolve(landed)
      })
    })
  }

  #hit({ route, policy }: CachedRequest, kept: Kept, status: CacheStatus): Answered {
    this.#ports.onAnswered?.(route, status.how)
    const now = this.#ports.clock.now()
    return { reply: hitReply(kept, route, policy, now, status), how: status.how }
  }

  #told({ route }: CachedRequest, reply: Reply, status: CacheStatus): Answered {
    this.#ports.onAnswered?.(route, status.how)
    return { reply: withStatus(reply, status), how: status.how }
  }
}

/** How a run is led. */
interface Leading {
  readonly key: string
  readonly base: string
  /** Whether no other request waits for it. */
  readonly isAlone: boolean
  /** What is served where it fails. */
  readonly stale: Kept | undefined
  readonly fwd: 'miss' | 'stale'
}

/** Whether a request brings credentials on a path that does not check any. */
const isUncheckedlyAuthorized = ({ exchange, route }: CachedRequest): boolean =>
  route.inherited.protection === undefined && exchange.header('authorization') !== undefined

/** 504 (RFC 9111 §5.2.1.7). */
const notCached = (): ServiceError =>
  new ServiceError(
    'service.error.not_cached',
    'the request wants a cached response only, and none is fresh',
  )

/** What the cache knows of a request. */
interface Own {
  /** How its answer came; undefined: it was refused. */
  how?: CacheStatus['how']
}

const cachingOf = ({ parts }: RequestState): Caching => parts.policies.caching

const hasTags = ({ inherited }: RequestState): boolean =>
  etag.planOf(inherited.policies) !== undefined

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly caching: Caching
  }

  interface StageFacts {
    cache: { readonly how: CacheStatus['how'] | undefined }
    invalidate: Record<never, never>
  }
}

/** Answers with what is kept, or lets the later stages act for a request whose answer may be kept. 504. */
export const keeping = stage('cache', {
  enter(state) {
    // the action may begin when this request has been answered
    const { exchange, route, inherited, cors: policy, at } = state
    const plan = cache.planOf(inherited.policies) as CachePlan
    const answered = cachingOf(state).answer({
      ...{ plan, exchange, route, policy },
      ...{ identity: state.identity, language: state.language, type: state.type },
      timeoutMs: () => evaluateAttempts(route.action.attempts, state.context).timeout,
      act: async (of, run) =>
        answerFrom(state.actingAs(of, at + 1, run?.policy ?? policy, run?.saw)),
    })
    const reply = ({ reply, how }: Answered): Reply => {
      state.policies ??= {}
      const own: Own = state.policies
      own.how = how
      if (how !== 'bypass') state.source = how === 'miss' ? 'made' : 'kept'
      return reply
    }
    return answered instanceof Promise ? answered.then(reply) : reply(answered)
  },
  leave(state, reply) {
    if (state.source === undefined) return reply
    return cachingOf(state).leave(state.exchange, reply, hasTags(state))
  },
  facts: ({ policies }: { policies: Own | undefined }) => ({ how: policies?.how }),
})

/** An unsafe request drops the kept answers of its path. */
export const invalidate = stage('invalidate', {
  leave(state, reply) {
    if (reply.status < 400) cachingOf(state).changed(state.exchange)
    return reply
  },
  facts: () => ({}),
})
