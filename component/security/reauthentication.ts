/** Judges requests again that are served for long: when their credentials expire, each minute, and when something was revoked. */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { admitAgain } from './admission.ts'
import { passedBy } from './decided.ts'
import type { Protection, Schemes, SecuredRequest } from './scheme.ts'

/** The dependencies of {@link Reauthentication}. */
export interface ReauthenticationPorts {
  readonly schemes: Schemes
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly yieldTurn: YieldTurn
}

/** Milliseconds between two judgements of a request of which nothing was heard. */
const interval = 60_000
/** Milliseconds until a request is judged again that could not be judged. */
const retryAfter = 5_000
/** Milliseconds between two looks at which requests are due, and between the beginnings of two rounds at least. */
const [tick, roundGap] = [1_000, 500]
/** At most this many judgements are awaited at once: signatures are verified on threads that all requests share. */
const atOnce = 32

/** A request that has passed and is still served. */
interface Followed {
  readonly request: SecuredRequest
  readonly protection: Protection
  readonly onRefused: (error: unknown) => void
  /** Of the first judgement; undefined: {@link isSame}. */
  accepts: ((identity: Identity) => boolean) | undefined
  /** As it was judged last: of the same content always. */
  identity: Identity
  /** Milliseconds since the epoch. */
  dueAt: number
}

/** The judgement of credentials: whom they prove now, or why they prove nobody. */
type Verdict = { readonly identity: Identity } | { readonly error: unknown }

const everybody = (): boolean => true

/** Passwords neither expire nor are revoked: they are judged when the realm changes, and each judgement may take a hash. */
const isJudgedByTime = ({ protection, identity }: Followed): boolean =>
  !passedBy(protection, identity).every(({ kind }) => kind.isJudgedOnChange)

const anotherIdentity = new ServiceError(
  'service.error.unauthorized',
  'the credentials stand for another identity now',
)

/** All requests of the process that are judged again. */
export class Reauthentication {
  readonly #ports: ReauthenticationPorts
  readonly #followed = new Set<Followed>()
  /** Those that are to be judged in this round or the next one. */
  readonly #waiting = new Set<Followed>()
  /** Of this round, by what was proved before: the requests of one identity are judged once. */
  #verdicts = new Map<Identity, Map<Protection, Verdict | Promise<Verdict>>>()
  #stopTick: (() => void) | undefined
  #isRunning = false
  #nextRoundAt = 0

  constructor(ports: ReauthenticationPorts) {
    this.#ports = ports
  }

  /**
   * Judges a request from now on; a first time soon, since something may have been revoked while its answer was prepared.
   * @param identity of the request when it passed
   * @param onRefused called once: the credentials are refused, or prove another identity
   * @param accepts whether the identity that is proved first may be another one; absent: it may not
   * @returns ends it
   */
  follow(
    request: SecuredRequest,
    protection: Protection,
    identity: Identity,
    onRefused: (error: unknown) => void,
    accepts?: (identity: Identity) => boolean,
  ): () => void {
    const dueAt = this.#ports.clock.now()
    const followed: Followed = { request, protection, identity, onRefused, accepts, dueAt }
    this.#followed.add(followed)
    this.#planTick()
    return () => this.#forget(followed)
  }

  /** Judges these requests within a second or so: something was revoked or has changed. */
  recheck(which: (identity: Identity) => boolean = everybody): void {
    this.#verdicts = new Map()
    for (const followed of this.#followed) if (which(followed.identity)) this.#waiting.add(followed)
    this.#begin()
  }

  #forget(followed: Followed): void {
    this.#followed.delete(followed)
    this.#waiting.delete(followed)
    if (this.#followed.size > 0) return
    this.#stopTick?.()
    this.#stopTick = undefined
  }

  #planTick(): void {
    this.#stopTick ??= this.#ports.clock.after(tick, () => {
      this.#stopTick = undefined
      const now = this.#ports.clock.now()
      for (const followed of this.#followed) if (followed.dueAt <= now) this.#waiting.add(followed)
      if (this.#followed.size > 0) this.#planTick()
      this.#begin()
    })
  }

  /** Begins a round, unless one runs or the last one began a moment ago: with many logouts, each does not take a round of its own. */
  #begin(): void {
    if (this.#isRunning || this.#waiting.size === 0) return
    this.#isRunning = true
    const { clock } = this.#ports
    const left = this.#nextRoundAt - clock.now()
    if (left > 0) clock.after(left, () => void this.#run())
    else void this.#run()
  }

  async #run(): Promise<void> {
    const { clock, yieldTurn } = this.#ports
    this.#nextRoundAt = clock.now() + roundGap
    const judging: Promise<void>[] = []
    // those that come meanwhile are judged, too
    for (const followed of this.#waiting) {
      this.#waiting.delete(followed)
      const judged = this.#judge(followed)
      if (judged !== undefined) judging.push(judged)
      if (judging.length >= atOnce) await Promise.all(judging.splice(0))
      const pause = yieldTurn()
      if (pause !== undefined) await pause
    }
    await Promise.all(judging)
    this.#verdicts = new Map()
    this.#isRunning = false
    this.#begin()
  }

  #judge(followed: Followed): Promise<void> | undefined {
    const verdict = this.#verdict(followed)
    if (!(verdict instanceof Promise)) {
      this.#take(followed, verdict)
      return undefined
    }
    return verdict.then((found) => this.#take(followed, found))
  }

  #verdict(followed: Followed): Verdict | Promise<Verdict> {
    const { identity, protection } = followed
    const known = this.#verdicts.get(identity)?.get(protection)
    if (known !== undefined) return known
    const verdict = this.#ask(followed)
    const ofIdentity = this.#verdicts.get(identity) ?? new Map()
    this.#verdicts.set(identity, ofIdentity.set(protection, verdict))
    return verdict
  }

  #ask({ request, protection }: Followed): Verdict | Promise<Verdict> {
    try {
      const found = admitAgain(this.#ports.schemes, request, protection)
      if (!(found instanceof Promise)) return { identity: found }
      return found.then(
        (identity) => ({ identity }),
        (error: unknown) => ({ error }),
      )
    } catch (error) {
      return { error }
    }
  }

  #take(followed: Followed, verdict: Verdict): void {
    if (!this.#followed.has(followed)) return
    const now = this.#ports.clock.now()
    if ('error' in verdict) {
      if (isUndecided(verdict.error)) followed.dueAt = now + retryAfter
      else this.#refuse(followed, verdict.error)
      return
    }
    const { identity } = verdict
    const isAccepted = followed.accepts?.(identity) ?? isSame(identity, followed.identity)
    followed.accepts = undefined
    if (!isAccepted) {
      this.#refuse(followed, anotherIdentity)
      return
    }
    followed.identity = identity
    followed.dueAt = isJudgedByTime(followed)
      ? Math.min(now + interval, identity.expires_at ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY
  }

  #refuse(followed: Followed, error: unknown): void {
    this.#forget(followed)
    followed.onRefused(error)
  }
}

/** Whether two identities are one to expressions and the router; when they expire does not matter. */
const isSame = (one: Identity, other: Identity): boolean =>
  one === other || isDeepStrictEqual({ ...one }, { ...other })

/** Whether nothing was found out, such as while too many passwords are checked. */
const isUndecided = (error: unknown): boolean =>
  error instanceof ServiceError && error.uri === 'service.error.unavailable'
