/** `wamp_subscribe`: a stream of the events of a topic, over the session of the request's identity or that of the gateway. */

import type { Action, ActionFields, Outcome, Run, StreamTerms } from '#component/action/action.ts'
import { callOptions, passOptions, subscribeOptions } from '#component/action/options.ts'
import {
  attemptOnSession,
  type Send,
  type WampPorts,
  withTraceContext,
} from '#component/action/wamp-attempt.ts'
import { disclosed, readPayload, readUri, withAliases } from '#component/action/wamp-fields.ts'
import { ServiceError } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import type { Streams } from '#component/stream/hub.ts'
import type { Place } from '#component/stream/places.ts'
import type { Stream } from '#component/stream/stream.ts'
import type { StreamOwner, Wanted } from '#component/stream/terms.ts'
import { lastEventIdOf } from '#component/syntax/event-stream.ts'
import { isMap } from '#component/syntax/values.ts'
import type { CallResult } from '#component/wamp/session.ts'

/** The parts that it uses. */
export interface SubscribePorts extends WampPorts {
  readonly streams: Pick<Streams, 'admit' | 'open'>
}

/** Characters of the longest event id that a client may send. */
const maxEventId = 255

/** The result of a subscription: a stream, and what its snapshot has given. */
interface Opened {
  readonly stream: Stream
  readonly snapshot: CallResult | undefined
}

/** Calls the procedure of a snapshot. */
type Snapshot = Send<CallResult>

/** Subscribes, or joins the streams that have. Its result is that of the snapshot, where the document asks for one; HEAD asks for nothing. */
export const wampSubscribeAction = (ports: SubscribePorts): Action => ({
  async perform(fields, run) {
    const terms = termsOf(run)
    const wanted = readWanted(fields, run, terms, ports.allowedDynamicUris)
    const snapshot = readSnapshot(fields, run, ports.allowedDynamicUris)
    if (run.method === 'head') return { result: {} }
    const { realm_uri, identity } = run
    const { api, operation } = terms
    const owner: StreamOwner = { api, operation, realm_uri, identity }
    const { lastEventId } = wanted
    const place = ports.streams.admit({
      ...{ owner, address: run.client, maxStreams: terms.maxStreams, lastEventId },
    })
    const opening = { owner, wanted, place, snapshot }
    try {
      const joinedAs = terms.as === 'gateway' ? anonymous(realm_uri) : identity
      const outcome = await attemptOnSession(
        ports,
        { ...run, identity: joinedAs },
        (...attempt) => open(ports.streams, opening, ...attempt),
        outcomeOf,
      )
      if (!outcome.stream) place.give()
      return outcome
    } catch (error) {
      place.give()
      throw error
    }
  },
})

/** @throws TypeError without terms: only operations with a stream perform it */
function termsOf({ streams }: Run): StreamTerms {
  if (!streams) throw new TypeError('a subscription needs the terms of its streams')
  return streams
}

/** @throws ServiceError 400 and 403 for values that cannot be used */
function readWanted(
  fields: ActionFields,
  run: Run,
  { match, replayEvents, replayTimeoutMs }: StreamTerms,
  allowed: readonly string[],
): Wanted {
  return {
    topic: readUri(fields, 'topic', run, allowed, match),
    match,
    options: passOptions(fields.options, subscribeOptions),
    ...{ replayEvents, replayTimeoutMs },
    lastEventId: readLastEventId(fields, run),
    hasSnapshot: fields.snapshot !== undefined,
    maxEvents: Number(fields.max_events ?? 0),
    maxDurationMs: Number(fields.max_duration ?? 0),
  }
}

/** What a client that comes back says, else what the document takes from the request. */
function readLastEventId({ resume_from }: ActionFields, { request }: Run): string {
  const told = lastEventIdOf(request.headers, request.query_params)
  const id = told === '' && typeof resume_from === 'string' ? resume_from : told
  if (id.length <= maxEventId && !/\p{Cc}/u.test(id)) return id
  const message = `Last-Event-ID: expected at most ${maxEventId} characters, and no control characters`
  throw new ServiceError('service.error.bad_request', message)
}

/** The call of the snapshot; undefined where the document asks for none. */
function readSnapshot(
  { snapshot }: ActionFields,
  run: Run,
  allowed: readonly string[],
): Snapshot | undefined {
  if (!isMap(snapshot)) return undefined
  const isComputed = run.computed.has('snapshot') || run.computed.has('snapshot.procedure')
  const computed = new Set(isComputed ? ['procedure'] : [])
  const procedure = readUri(snapshot, 'procedure', { computed }, allowed)
  const { receive_progress: _, ...passed } = passOptions(snapshot.options, callOptions)
  const message = { options: disclosed(passed, run), payload: readPayload(snapshot) }
  return (session, timeoutMs, cancellation, context, notify) => {
    const { payload, options } = withTraceContext(message, session, run, context)
    notify?.({ procedure, ...payload, options }, 'snapshot')
    const call = session.call(procedure, payload, options, timeoutMs)
    cancellation.current = call
    return call.result
  }
}

/** What is opened. */
interface Opening {
  readonly owner: StreamOwner
  readonly wanted: Wanted
  readonly place: Place
  readonly snapshot: Snapshot | undefined
}

/** Subscribes, then calls: events between the two are not lost. A stream that resumes needs no snapshot. */
async function open(
  streams: SubscribePorts['streams'],
  { owner, wanted, place, snapshot: call }: Opening,
  ...attempt: Parameters<Snapshot>
): Promise<Opened> {
  const [session, timeoutMs, cancellation, , notify] = attempt
  const { topic, match, options } = wanted
  notify?.({ topic, options: { ...options, match } })
  const opening = streams.open(session, owner, wanted, timeoutMs, place)
  let stream: Stream
  try {
    stream = await cancellation.race(opening)
  } catch (error) {
    // the client has gone before the router has answered
    opening.then(
      (late) => late.cancel(),
      () => undefined,
    )
    throw error
  }
  if (call === undefined || stream.isResumed) return { stream, snapshot: undefined }
  try {
    return { stream, snapshot: await call(...attempt) }
  } catch (error) {
    stream.cancel()
    throw error
  }
}

const outcomeOf = ({ stream, snapshot }: Opened): Outcome => ({
  result: snapshot ? withAliases(snapshot) : {},
  stream,
})
