/** One request with an Idempotency-Key: it is performed once, and its repeats get the same answer. */
import { hash } from 'node:crypto'
import type { Outcome } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { type CompiledOperation, plansOf } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { type Headers, joinVary } from '#component/gateway/header-layers.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import type { Identity } from '#component/identity.ts'
import type { KeyShare, KeyShares } from '#component/limits/key-shares.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { AnswerStore } from '#component/store/answer-store.ts'
import type { KeyHold, KeyOwner } from '#component/store/key-owner.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { openAnswer, sealAnswer } from './kept-answer.ts'
import { idempotency } from './kind.ts'
import { type IdempotencyPlan, readKey } from './plan.ts'
import { wholeBody } from './whole-body.ts'

/** What keeps the answers of requests with a key. */
export interface IdempotencyPorts {
  readonly answers: Pick<AnswerStore, 'take' | 'keep' | 'renew' | 'release'>
  /** How much each user may have on each route. */
  readonly shares: KeyShares
  readonly clock: Pick<Clock, 'after'>
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  /** A digest that nobody can make without the key of the store. */
  readonly digest: (...texts: readonly string[]) => string
  readonly encode: Encode
  /** Told why an answer could not be kept; its repeats are refused or act again, as after a crash. */
  readonly onUnkept?: (cause: unknown) => void
}

/** What a request has done so far: nothing for certain, what its answer tells, or nobody knows. */
type Effect = 'none' | 'done' | 'unknown'

/** Beyond the timeout of the action, how long a request may stay silent; milliseconds. */
const leaseBeyond = 10_000

const name = 'Idempotency-Key'

/** Of one request to a route with `idempotency`, with or without a key. */
export class IdempotentRequest {
  readonly #plan: IdempotencyPlan
  readonly #ports: IdempotencyPorts
  readonly #exchange: Exchange
  readonly #route: CompiledOperation
  readonly #policy: Headers
  #body = ''
  #hold: KeyHold | undefined
  #share: KeyShare | undefined
  #effect: Effect = 'none'
  #stopRenewing: () => void = () => undefined

  /** @param policy the configured CORS headers, which are those of this request alone */
  constructor(
    plan: IdempotencyPlan,
    ports: IdempotencyPorts,
    exchange: Exchange,
    route: CompiledOperation,
    policy: Headers,
  ) {
    this.#plan = plan
    this.#ports = ports
    this.#exchange = exchange
    this.#route = route
    this.#policy = policy
  }

  /** Whether it has taken its key, and has no answer yet. */
  get isHeld(): boolean {
    return this.#hold !== undefined
  }

  /** Takes note of a body that is read. */
  readonly noteBody = (bytes: Uint8Array): void => {
    this.#body = hash('sha256', bytes, 'base64url')
  }

  /**
   * Takes the key before the action.
   * @returns the answer of the first request with the key; undefined: this one is performed
   * @throws ServiceError 400, 409, 422; 503 where the store is away, or has no room: without it nothing can be promised
   */
  async begin(identity: Identity): Promise<Reply | undefined> {
    const field = this.#exchange.header('idempotency-key')
    if (field === undefined) {
      if (!this.#plan.isRequired) return undefined
      const message = `expected the header ${name}: a text that no other request of the client has`
      throw new ServiceError('service.error.idempotency_key_missing', message)
    }
    const key = readKey(field)
    if (key === undefined) {
      const message = `${name}: expected one text of 1 to 255 printable characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324"`
      throw new ServiceError('service.error.bad_request', message)
    }
    await this.#readPassed()
    const scope = this.#scopeOf(key, identity)
    const { keptMs, onUnknown } = this.#plan
    const { answers, shares } = this.#ports
    const share = shares.of(this.#scopeOf('', identity, true), keptMs)
    const owner = await answers.take({
      mayBegin: shares.hasRoom(share),
      ...{ scope, fingerprint: this.#fingerprintOf(), keptMs, leaseMs: this.#leaseMs },
      takesUnknown: onUnknown === 'retry',
    })
    if (owner.kind !== 'taken') return this.#replyOf(owner, scope)
    this.#hold = owner.hold
    this.#share = share
    share.rows += 1
    this.#renewLater(owner.hold)
    return undefined
  }

  /** Performs an action of the request, and takes note of what it has done. */
  async follow(perform: () => Promise<Outcome>): Promise<Outcome> {
    try {
      const outcome = await perform()
      const { effect = 'done' } = outcome
      // once an action of a list was performed, the answer of the list is kept
      if (effect !== 'none' && this.#effect !== 'unknown') this.#effect = effect
      return outcome
    } catch (error) {
      // a bug: an expected failure is thrown only before anything is sent
      if (!(error instanceof ServiceError)) this.#effect = 'unknown'
      throw error
    }
  }

  /**
   * Keeps the answer, or gives the key back; then the answer may be sent.
   * @throws ServiceError where its body cannot be encoded, or does not come to its end: that is answered, and kept, instead
   */
  async end(reply: Reply): Promise<Reply> {
    const hold = this.#hold
    if (hold === undefined) return reply
    const { answers, encode, box } = this.#ports
    if (this.#isForgotten) {
      this.#forget()
      await answers.release(hold)
      return this.#shown(reply)
    }
    const whole = await wholeBody(reply, this.#plan.maxBytes, encode).catch((error: unknown) => {
      // an upstream that is lost amid its answer
      if (reply.body.kind === 'stream') this.#effect = 'unknown'
      throw error
    })
    this.#over()
    const sealed = whole.isKept ? sealAnswer(whole.reply, hold.scope, box) : undefined
    await this.#keep(hold, sealed)
    return this.#shown(whole.reply)
  }

  /** A bug has ended the request: what it has done is not answered. */
  async abandon(): Promise<void> {
    const hold = this.#hold
    if (hold === undefined) return
    const { answers } = this.#ports
    if (this.#isForgotten) {
      this.#forget()
      return answers.release(hold)
    }
    this.#over()
    if (this.#effect === 'done') return this.#keep(hold, undefined)
    return answers.renew(hold, 0).catch((cause: unknown) => this.#ports.onUnkept?.(cause))
  }

  /** Whether a repeat acts as if there had been no request. */
  get #isForgotten(): boolean {
    const isRetried = this.#effect === 'unknown' && this.#plan.onUnknown === 'retry'
    return isRetried || this.#effect === 'none'
  }

  #forget(): void {
    if (this.#share) this.#share.rows -= 1
    this.#over()
  }

  #over(): void {
    this.#stopRenewing()
    this.#hold = undefined
  }

  async #keep(hold: KeyHold, sealed: string | undefined): Promise<void> {
    const { answers, onUnkept } = this.#ports
    try {
      await answers.keep(hold, sealed)
      if (this.#share) this.#share.bytes += sealed?.length ?? 0
    } catch (cause) {
      // it was performed: its client is told so
      onUnkept?.(cause)
    }
  }

  get #leaseMs(): number {
    return this.#route.action.attempts.fixed.timeout + leaseBeyond
  }

  /** However long the request takes, with its retries and its wait for a slot, its lease does not end while this process lives. */
  #renewLater(hold: KeyHold): void {
    const { clock, answers } = this.#ports
    this.#stopRenewing = clock.after(this.#leaseMs / 3, () => {
      this.#renewLater(hold)
      answers.renew(hold, this.#leaseMs).catch(() => undefined)
    })
  }

  /** Reads a body that would be passed on unread: it tells whether a request is a repeat. */
  async #readPassed(): Promise<void> {
    const { readsBody, inherited } = this.#route
    const isPassed = !readsBody && plansOf(this.#route).some(({ passesBody }) => passesBody)
    if (!this.#exchange.hasBody || !isPassed) return
    this.noteBody(await this.#exchange.readBytes(inherited.limits))
  }

  /**
   * The same after a reload of the document; another one for each user and route.
   * @param byAddress whether users without a name are told apart by their network
   */
  #scopeOf(key: string, identity: Identity, byAddress = false): string {
    const { realm_uri, username, authid, via, proofs } = identity
    const { path } = this.#route
    const { api } = path.version
    const network = byAddress ? [networkOf(this.#exchange.client)] : []
    const user = username === undefined ? network : [realm_uri, authid]
    const by = via === undefined ? [] : [JSON.stringify({ via, proofs })]
    const texts = [key, api, this.#exchange.method, path.pattern, ...user, ...by]
    return this.#ports.digest('key', ...texts)
  }

  #fingerprintOf(): string {
    const { method, path, query_string } = this.#exchange
    const type = this.#exchange.header('content-type') ?? ''
    const texts = [method, path, query_string, type, this.#body]
    return this.#ports.digest('request', ...texts)
  }

  #replyOf(owner: Exclude<KeyOwner, { kind: 'taken' }>, scope: string): Reply {
    if (owner.kind !== 'answered') throw refusals[owner.kind]()
    const reply = openAnswer(owner.answer, scope, this.#ports.box)
    if (reply === undefined) throw refusals.done()
    const headers = { ...reply.headers, 'idempotency-replayed': 'true' }
    return this.#shown({ ...reply, headers, operation: this.#route })
  }

  /** With the CORS headers of this request; those of the answer win. */
  #shown(reply: Reply): Reply {
    const policy = this.#policy
    const headers = { ...policy, ...reply.headers }
    const { vary } = reply.headers
    if (policy.vary !== undefined && vary !== undefined) {
      headers.vary = joinVary(policy.vary, String(vary))
    }
    return { ...reply, headers }
  }
}

const conflict = (message: string, headers: Readonly<Record<string, string>> = {}): ServiceError =>
  new ServiceError('service.error.idempotency_conflict', `${name}: ${message}`, { headers })

/** Why a repeat is refused. */
const refusals = {
  other: () =>
    new ServiceError(
      'service.error.idempotency_key_reused',
      `${name}: another request was sent with this key: a repeat has the same method, path, query, Content-Type and body`,
    ),
  running: () => conflict('the first request with this key is under way', { 'retry-after': '1' }),
  done: () => conflict('the first request with this key was performed; its response is not kept'),
  full: () =>
    new ServiceError(
      'service.error.unavailable',
      `${name}: there are as many keys as may be kept, of this user or in all`,
      { headers: { 'retry-after': '60' } },
    ),
  unknown: () => conflict('it is not known whether the first request with this key was performed'),
} as const

/** What idempotency knows of a request. */
interface Own {
  idempotent?: IdempotentRequest
}

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly idempotency: IdempotencyPorts
  }

  interface StageFacts {
    'idempotency.key': Record<never, never>
    idempotency: {
      /** The request is performed, is answered as the first one was, or has no key. */
      readonly how: 'first' | 'repeat' | 'none'
    }
  }
}

/** A request with the stage {@link idempotencyKey} has one. */
const idempotentOf = ({ policies }: RequestState) =>
  (policies as Own).idempotent as IdempotentRequest

/** Follows a request from before its body is read until its answer is kept. */
export const idempotencyKey = stage('idempotency.key', {
  enter(state) {
    const { exchange, route, inherited, cors } = state
    const plan = idempotency.planOf(inherited.policies) as IdempotencyPlan
    const { idempotency: ports } = state.parts.policies
    const idempotent = new IdempotentRequest(plan, ports, exchange, route, cors)
    state.policies ??= {}
    const own: Own = state.policies
    own.idempotent = idempotent
    state.onBody = idempotent.noteBody
    return undefined
  },
  around: (state, _plan, _fields, perform) => idempotentOf(state).follow(perform),
  leave(state, reply) {
    if (!state.isHeld) return reply
    return idempotentOf(state)
      .end(reply)
      .then((kept) => {
        state.isHeld = false
        return kept
      })
  },
  abandon(state) {
    const own: Own | undefined = state.policies
    void own?.idempotent?.abandon()
  },
  facts: () => ({}),
})

/** Takes the key, or answers as the first request with it was answered. 400, 409, 422, 503. */
export const takeKey = stage('idempotency', {
  async enter(state) {
    const idempotent = idempotentOf(state)
    const earlier = await idempotent.begin(state.identity)
    if (!idempotent.isHeld) return earlier
    state.isHeld = true
    state.cors = {}
    return undefined
  },
  facts: (state) => ({
    how: state.isHeld ? 'first' : state.exchange.header('idempotency-key') ? 'repeat' : 'none',
  }),
})
