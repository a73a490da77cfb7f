/** One attempt of a forward to an upstream: which of its targets get the request, one after the other. */
import {
  type ActionFields,
  drop,
  errorOf,
  goesOn,
  type Outcome,
  type Run,
} from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import type { Attempted } from '#component/action/retry.ts'
import { targetResult } from '#component/action/target-result.ts'
import { ServiceError } from '#component/errors.ts'
import type { OnOver } from '#component/limits/semaphore.ts'
import type { Target } from '#component/upstreams/target.ts'
import type { Upstream, Wanted } from '#component/upstreams/upstream.ts'
import { stuckTo, withSticky } from './sticky.ts'

/** How one request to a target has ended. */
export interface SentAttempt extends Attempted {
  /** Whether anything has been written to the target. */
  readonly wasSent: boolean
  /** Whether it has taken too long: then no other target is tried. */
  readonly isLate: boolean
}

/** What a request says of its target. */
export interface WantedTarget extends Wanted {
  /** Whether the client has come over TLS. */
  readonly isSecure: boolean
}

const noUpstream = 'the realm has no upstream of this name'
const noTarget = 'no target of the upstream can be reached now'
const noAddress = 'the target has an address that may not be forwarded to'

/** Of a request that has been sent nowhere. */
const none: readonly Target[] = []

/** Seconds. */
const retryAfter = 1

/** Nothing was sent. */
function unsent(
  error_uri: 'service.error.no_upstream_target' | 'service.error.bad_gateway',
  reason: string,
) {
  const { status } = new ServiceError(error_uri, reason)
  const error = {
    ...errorOf(error_uri, reason),
    ...{ status_code: status, headers: {}, body: '', uri: '' },
  }
  const outcome: Outcome = { error, reason, effect: 'none' }
  return outcome
}

const refused = (reason: string): Attempted => ({
  outcome: { ...unsent('service.error.no_upstream_target', reason), retryAfter },
  isRetriable: false,
})

/** What a request says of its target. */
export function wantedOf(
  { hash, group }: ActionFields,
  run: Run,
  upstream: Upstream | undefined,
): WantedTarget {
  return {
    group: textOf(group, 'group'),
    // the others do not go by it
    key: upstream?.settings.balance === 'hash' ? textOf(hash, 'hash') || clientOf(run) : '',
    token: stuckTo(upstream, run),
    isSecure: run.request.scheme === 'https',
    tried: none,
  }
}

/** A text, or what may stand for one; empty where it is absent. */
function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw new FieldError([name], 'a text, a number or a boolean')
  return String(value)
}

/** The user of a request; its address where it has none. */
const clientOf = ({ identity, client }: Run): string =>
  identity.authmethod === 'anonymous' ? client : identity.authid

/** How a failure is told to the log, with the target. */
const at = (target: Target, outcome: Outcome): Outcome =>
  'result' in outcome ? outcome : { ...outcome, target: target.id }

/**
 * One request to a target, which is told of it. Most requests are one that succeeds: nothing is made for it beside one promise.
 * @param wanted what the request says of its target
 */
function sendTo(
  upstream: Upstream,
  target: Target,
  wanted: WantedTarget,
  send: (target: Target) => Promise<SentAttempt>,
): Promise<SentAttempt> {
  const ticket = target.begin()
  return send(target).then(
    (attempted) => {
      const { outcome } = attempted
      const reason = 'result' in outcome ? undefined : outcome.reason
      upstream.end(target, ticket, { result: targetResult(outcome), reason })
      // until its answer has come to its end
      const onOver = socketOver(outcome) ?? goesOn(outcome)
      if (onOver) onOver(() => target.leave())
      else target.leave()
      const seen = heldBy(target, at(target, outcome))
      const told = withSticky(upstream, target, wanted.token, wanted.isSecure, seen)
      return told === outcome ? attempted : { ...attempted, outcome: told }
    },
    (error: unknown) => {
      const isOfAddress = error instanceof ServiceError && error.uri === 'wamp.error.not_authorized'
      upstream.end(target, ticket, isOfAddress ? { result: 'failure', reason: noAddress } : unknown)
      target.leave()
      if (!isOfAddress) throw error
      const outcome = unsent('service.error.bad_gateway', noAddress)
      return { outcome: at(target, outcome), isRetriable: true, wasSent: false, isLate: false }
    },
  )
}

/** Takes a callback for the end of a WebSocket; undefined: the outcome has no WebSocket. */
function socketOver({ stream }: Outcome): OnOver | undefined {
  if (stream?.kind !== 'websocket') return undefined
  const { upstream } = stream
  return (callback) => void upstream.once('close', callback)
}

/** A WebSocket is counted at its target, and hears when that is taken away. */
function heldBy(target: Target, outcome: Outcome): Outcome {
  const { stream } = outcome
  if (stream?.kind !== 'websocket') return outcome
  target.sockets += 1
  stream.upstream.once('close', () => {
    target.sockets -= 1
  })
  return {
    ...outcome,
    stream: { ...stream, onTakenAway: (callback) => target.onRelease(callback) },
  }
}

const unknown = { result: 'unknown' } as const

/**
 * Sends a request to a target, and where that has not got it, or has lost it, to others at once.
 * @param mayRetry whether the same may be done again after this
 * @param send makes one request to a target
 */
export function throughUpstream(
  upstream: Upstream | undefined,
  wanted: WantedTarget,
  mayRetry: boolean,
  send: (target: Target) => Promise<SentAttempt>,
): Promise<Attempted> {
  if (upstream === undefined) return Promise.resolve(refused(noUpstream))
  upstream.budget.begin(upstream.now())
  const target = upstream.choose(wanted)
  if (target === undefined) return Promise.resolve(refused(noTarget))
  return sendTo(upstream, target, wanted, send).then((first) =>
    first.isRetriable ? failOver(upstream, target, wanted, mayRetry, first, send) : first,
  )
}

/** Tries others after a first one. @param first how it has failed there */
async function failOver(
  upstream: Upstream,
  failed: Target,
  wanted: WantedTarget,
  mayRetry: boolean,
  first: SentAttempt,
  send: (target: Target) => Promise<SentAttempt>,
): Promise<Attempted> {
  const { budget, counts, settings } = upstream
  const tried = [failed]
  let attempted = first
  while (attempted.isRetriable) {
    const isOver = attempted.isLate || tried.length > settings.failover
    const next = isOver ? undefined : upstream.choose({ ...wanted, tried })
    if (next === undefined && !mayRetry) return attempted
    // what was sent is sent again only as far as the budget goes
    if (attempted.wasSent && !budget.take(upstream.now())) {
      counts.exhausted += 1
      return { ...attempted, isRetriable: false }
    }
    if (next === undefined) return attempted
    counts.failovers += 1
    drop(attempted.outcome)
    tried.push(next)
    attempted = await sendTo(upstream, next, wanted, send)
  }
  return attempted
}
