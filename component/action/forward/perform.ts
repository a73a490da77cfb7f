/** `forward`: sends the request to an upstream over HTTP and passes its answer on; both stream unless expressions read them. */
import type { Duplex, Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  type Action,
  type ActionFields,
  actionError,
  badGateway,
  errorOf,
  type OfferedSocket,
  type OpenedSocket,
  type Outcome,
  type RawBody,
  type Run,
  streamOf,
  type UpstreamAnswer,
} from '#component/action/action.ts'
import type { Lookup } from '#component/action/connections/connector.ts'
import { type HostPolicy, refusal, refuseOrigin } from '#component/action/connections/origin.ts'
import { type Connections, Upstreams } from '#component/action/connections/upstreams.ts'
import { FieldError } from '#component/action/field-error.ts'
import {
  answerHeaders,
  type DroppedField,
  droppedFields,
  type HeaderMap,
  setTraceContext,
  upstreamHeaders,
} from '#component/action/headers.ts'
import { Cancellation, retry } from '#component/action/retry.ts'
import type { SentUpstream } from '#component/action/sent.ts'
import { failedStatuses } from '#component/action/target-result.ts'
import { endOf } from '#component/action/watching/attempt-end.ts'
import type { AttemptWatch, WatchedAttempt } from '#component/action/watching/attempt-watch.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { isIdempotent, type Method, methodNames, methods } from '#component/request.ts'
import { type Origin, readOrigin } from '#component/syntax/upstream-origin.ts'
import { switchProblem } from '#component/syntax/websocket.ts'
import type { FindUpstream } from '#component/upstreams/table.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { type BodyCodec, decodeAnswer, decompress, upstreamBody } from './body.ts'
import {
  type Credentialed,
  hintedWithout,
  sentTarget,
  shownFields,
  withCredential,
  withoutSecrets,
} from './credential.ts'
import { mayBeKept, RepeatableBody } from './repeatable-body.ts'
import { dropSticky } from './sticky.ts'
import { readTarget } from './target.ts'
import { type SentAttempt, throughUpstream, wantedOf } from './through-upstream.ts'
import { type AnswerHead, UpstreamCall } from './upstream-call.ts'
import { setHandshake } from './websocket.ts'
import { withCredentials } from './with-credentials.ts'

/** The parts that forward requests. */
export interface ForwardPorts {
  readonly clock: Clock
  readonly codec: BodyCodec
  /** Which hosts that are computed from the request may be reached. */
  readonly hosts: HostPolicy
  /** The name of this proxy in `Via`. */
  readonly viaName: string
  readonly lookup?: Lookup
  /** Absent: real ones. */
  readonly connections?: Connections
  /** The upstreams of realms; absent: there are none. */
  readonly findUpstream?: FindUpstream
  /** Receives each attempt, for metrics and spans. Explanations and tests of examples have none. */
  readonly watch?: AttemptWatch | undefined
}

/** The action, and a way to end its connections. */
export interface ForwardAction extends Action {
  /** Ends all connections to upstreams, those in use too. */
  close(): Promise<void>
}

/** Where an attempt goes. */
interface Reached {
  readonly origin: Origin
  readonly pool: ReturnType<Connections['pool']>
}

/** One checked upstream request, ready to be sent, again too if its body allows it. */
interface Prepared {
  readonly method: Method
  readonly target: string
  readonly headers: HeaderMap
  /** The field `headers` of the action; undefined: those of the request are passed on. */
  readonly declared: unknown
  readonly body: RepeatableBody | RawBody | Uint8Array | undefined
  /** Undefined: the action names a host. */
  readonly upstream: SentUpstream | undefined
}

/** The error of an answer 400–599. It has no row in the table of statuses, so that the upstream's status holds (behaviour §4). */
const errorStatus = {
  uri: 'service.error.http_gateway.upstream_status',
  description: 'The upstream returned an error status.',
} as const

/** Failures of the upstream, which `on_error` answers; other ServiceErrors refuse the request. */
const ofUpstream = new Set<string>([
  'service.error.bad_gateway',
  'service.error.timeout',
  'wamp.error.canceled',
])

/** What a client asks for a part with (RFC 9110 §14.2, §13.1.5). */
const ofParts = ['range', 'if-range'] as const

const maxOrigins = 1000

/** Makes the action. */
export function forwardAction(ports: ForwardPorts): ForwardAction {
  const { clock, codec, viaName, watch, findUpstream } = ports
  const { hosts: policy } = ports
  // RFC 9110 §7.6.3
  const via = `1.1 ${viaName}`
  const upstreams = ports.connections ?? new Upstreams(clock, policy, { lookup: ports.lookup })
  const origins = new Map<string, Origin | undefined>()

  /** Fields repeat, so each is read once. */
  const originOf = (host: string): Origin | undefined => {
    if (origins.has(host)) return origins.get(host)
    if (origins.size >= maxOrigins) origins.clear()
    const read = readOrigin(host)
    const origin = 'problem' in read ? undefined : read
    origins.set(host, origin)
    return origin
  }

  const readHost = (host: unknown, isComputed: boolean): Origin => {
    const origin = typeof host === 'string' ? originOf(host) : undefined
    if (!origin) {
      const error = new FieldError(['host'], '[scheme://]host[:port] with the scheme http or https')
      throw isComputed ? refusal(error.message) : error
    }
    if (isComputed && !policy.allows(origin)) {
      throw refusal(`host: ${policy.setting} does not list it`)
    }
    if (isComputed && upstreams.proxies(origin) && !policy.names(origin)) {
      throw refusal(`host: it is reached by a proxy, so ${policy.setting} must list it itself`)
    }
    const refused = refuseOrigin(origin, isComputed ? policy : undefined)
    if (refused) throw refused
    return origin
  }

  /** @param found the upstream, where the action names one */
  const prepare = (fields: ActionFields, run: Run, found: Upstream | undefined): Prepared => {
    const method = methodOf(fields.http_method, run)
    const target = readTarget(fields, run)
    const headers = upstreamHeaders(fields.headers, run, via)
    const given = run.socket ? undefined : upstreamBody(fields, run, headers, codec)
    if (run.socket) setHandshake(headers, run.socket)
    // An answer that an expression reads is asked for uncompressed, and whole.
    if (run.readsBody || run.invocation) {
      headers['accept-encoding'] = 'identity'
      if (fields.headers === undefined) for (const name of ofParts) delete headers[name]
    }
    if (given && !(given instanceof Uint8Array) && given.length !== undefined) {
      headers['content-length'] = String(given.length)
    }
    const isRepeated = run.attempts.retries > 0 || found?.hasOthers === true
    // a request that was refused with a token has done nothing, whatever its method
    const mayRepeat = (isRepeated && isIdempotent(method)) || found?.credentials?.isRenewed === true
    const body = mayRepeat ? repeatable(given) : given
    const { headers: declared } = fields
    dropSticky(found, headers)
    const host = found?.hostFor(run.request.headers.host ?? run.request.host)
    // a call has no host
    if (host) headers.host = host
    const below = found?.settings.basePath
    const { upstream: name, group = '', hash = '' } = fields
    const upstream =
      run.onSent && name !== undefined
        ? { upstream: String(name), group: String(group), hash: String(hash) }
        : undefined
    const whole = below ? `${below}${target}` : target
    return { method, target: whole, headers, declared, body, upstream }
  }

  const attempt = async (
    prepared: Prepared & Partial<Credentialed>,
    { origin, pool }: Reached,
    run: Run,
    timeoutMs: number,
    cancellation: Cancellation,
    watched: WatchedAttempt | undefined,
  ): Promise<SentAttempt> => {
    const { method, headers, body, declared, credential, replaced = [] } = prepared
    const uri = `${origin.text}${prepared.target}`
    const context = watched?.context
    if (context) setTraceContext(headers, context)
    const call = new UpstreamCall(
      clock,
      timeoutMs,
      run.readsBody,
      credential ? hintedWithout(run.hinted, credential) : run.hinted,
    )
    cancellation.current = call
    const isReplayable = (): boolean => {
      // the client has been told of this attempt
      if (call.wasHinted) return false
      if (body instanceof RepeatableBody) return body.isKept
      return !isStream(body) || !(call.wasSent || call.wasAbandoned)
    }
    try {
      const sent = sentBody(body)
      const options: Dispatcher.DispatchOptions = {
        path: credential ? sentTarget(prepared.target, credential) : prepared.target,
        method: methodNames[method],
        headers: headers as Record<string, string | string[]>,
        body: sent,
        upgrade: run.socket ? 'websocket' : null,
      }
      run.onSent?.({
        ...{ kind: 'request', method: options.method, origin: origin.text },
        upstream: prepared.upstream,
        headers: credential ? shownFields(headers, credential) : headers,
        target: prepared.target,
        dropped: [...droppedFields(declared, run, headers).filter(isOther(replaced)), ...replaced],
        ...(credential && { auth: credential.type }),
        body: sent,
      })
      pool.dispatch(options, call)
      const { status_code, received, switched } = await call.head
      if (switched && run.socket) {
        const fields = credential ? withoutSecrets(received, credential) : received
        const outcome = openedOutcome(switched, fields, run.socket, uri)
        watched?.over(outcome)
        return { outcome, isRetriable: false, wasSent: true, isLate: false }
      }
      const isRetriable = failedStatuses.has(status_code) && isIdempotent(method) && isReplayable()
      // bytes that came with the head are here by now: a small answer is complete and needs no stream
      const fields = credential ? withoutSecrets(received, credential) : received
      const taken = takeAnswer(call, status_code, fields, run)
      const answer = taken instanceof Promise ? await taken : taken
      const seen = run.readsBody && answer.body instanceof Uint8Array ? answer.body : undefined
      const shown = {
        status_code,
        headers: answer.headers,
        body: seen ? decodeAnswer(seen, answer.headers, codec) : '',
        uri,
      }
      const outcome: Outcome =
        status_code < 400
          ? { result: shown, answer }
          : {
              error: { ...upstreamError(status_code), ...shown },
              reason: answered(status_code),
              answer,
            }
      watched?.over(outcome)
      return { outcome, isRetriable, isReplayable: isReplayable(), wasSent: true, isLate: false }
    } catch (failure) {
      watched?.over(endOf(failure))
      if (!(failure instanceof ServiceError) || !ofUpstream.has(failure.uri)) throw failure
      const { uri: error_uri, message, status } = failure
      const wasLost = error_uri === 'service.error.bad_gateway' && !call.wasAnswered
      const error = {
        ...errorOf(error_uri, message),
        status_code: status,
        headers: {},
        body: '',
        uri,
      }
      return {
        outcome: { error, reason: message, effect: call.wasSent ? 'unknown' : 'none' },
        isRetriable:
          error_uri !== 'wamp.error.canceled' &&
          isReplayable() &&
          (!call.wasSent || (wasLost && isIdempotent(method))),
        wasSent: call.wasSent,
        isLate: call.isLate,
      }
    }
  }

  const perform: Action['perform'] = (fields, run) => {
    const { attempts } = run
    const { upstream } = fields
    const isComputed = run.computed.has('host')
    const found = upstream === undefined ? undefined : findUpstream?.(run.realm_uri, `${upstream}`)
    const to =
      upstream === undefined ? readHost(fields.host, isComputed) : wantedOf(fields, run, found)
    const prepared = prepare(fields, run, found)
    const { body } = prepared
    // undici destroys the stream of a failed request with an error that may have no other listener.
    if (isStream(body)) body.stream.on('error', () => {})
    const cancellation = new Cancellation(run.onCancel)
    const outcome = retry(attempts, clock, cancellation, (timeoutMs, tried, previous) => {
      // its connection ends: a later attempt replaces it
      if (previous) streamOf(previous)?.destroy()
      const { connect_timeout } = attempts
      const send = (reached: Reached, sent: Prepared & Partial<Credentialed> = prepared) => {
        const watched = watch?.begin(run, tried, prepared.method)
        return attempt(sent, reached, run, timeoutMs, cancellation, watched)
      }
      if ('text' in to) {
        return send({ origin: to, pool: upstreams.pool(to, isComputed, connect_timeout) })
      }
      const through = (sent?: Prepared & Partial<Credentialed>) =>
        throughUpstream(found, to, tried < attempts.retries, (target) =>
          send({ origin: target.origin, pool: target.pool(connect_timeout) }, sent),
        )
      if (found?.credentials === undefined) return through()
      const waiting = { clock, cancellation, timeoutMs }
      return withCredentials(found.credentials, run, waiting, (credential) =>
        through(withCredential(prepared, credential, run.proof?.().fields ?? [])),
      )
    })
    return body instanceof RepeatableBody ? released(outcome, body) : outcome
  }

  return {
    perform(fields, run) {
      try {
        return perform(fields, run)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    close: () => upstreams.close(),
  }
}

const released = (outcome: Promise<Outcome>, body: RepeatableBody): Promise<Outcome> =>
  outcome.finally(() => body.release())

/** Whether a field stays as it is: no credential has replaced it. */
const isOther =
  (replaced: readonly DroppedField[]) =>
  ({ name }: DroppedField): boolean =>
    !replaced.some((one) => one.name === name)

const isStream = (body: Prepared['body']): body is RawBody => body !== undefined && 'stream' in body

/** The body with a stream of a known small length, or of chunks, kept while it passes. */
const repeatable = (body: Prepared['body']): Prepared['body'] =>
  isStream(body) && mayBeKept(body) ? new RepeatableBody(body) : body

function sentBody(body: Prepared['body']): Readable | Uint8Array | null {
  if (body instanceof RepeatableBody) return body.open()
  return isStream(body) ? body.stream : (body ?? null)
}

const answered = (status_code: number): string => `the upstream returned ${status_code}`

const upstreamError = (status_code: number) =>
  actionError(errorStatus.uri, answered(status_code), errorStatus.description)

/**
 * The outcome of a handshake that the upstream has answered with 101.
 * @throws ServiceError `service.error.bad_gateway` for an answer that opens no WebSocket: the connection is closed
 */
function openedOutcome(
  upstream: Duplex,
  received: AnswerHead['received'],
  offered: OfferedSocket,
  uri: string,
): Outcome {
  upstream.on('error', () => upstream.destroy())
  const problem = switchProblem(received, offered)
  if (problem !== undefined) {
    upstream.destroy()
    throw badGateway(`the upstream ${problem}`)
  }
  const ofSocket: Record<string, string> = {}
  const headers: HeaderMap = {}
  for (const [name, value] of Object.entries(answerHeaders(received))) {
    if (!name.startsWith('sec-websocket-')) headers[name] = value
    else if (passedBack.has(name)) ofSocket[name] = String(value)
  }
  const stream: OpenedSocket = {
    ...{ kind: 'websocket', upstream, headers: ofSocket },
    cancel: () => upstream.destroy(),
  }
  const answer = { status_code: 101, headers, body: new Uint8Array(0), length: undefined }
  return { result: { status_code: 101, headers, body: '', uri }, answer, stream }
}

/** Of a 101, the fields that tell of the WebSocket. */
const passedBack = new Set(['sec-websocket-protocol', 'sec-websocket-extensions'])

/** The method of the upstream request; a `head` that the document fixes stays. */
function methodOf(declared: unknown, run: Run): Method {
  // RFC 6455 §4.1
  if (run.socket) return 'get'
  const isNamed = declared !== undefined && declared !== null
  const method = isNamed ? readMethod(declared) : run.method
  const isOfClient = declared === undefined || run.computed.has('http_method')
  return run.asksGet && isOfClient && method === 'head' ? 'get' : method
}

function readMethod(value: unknown): Method {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  const method = methods.find((name) => name === text)
  if (!method) throw new FieldError(['http_method'], 'one of the seven HTTP methods')
  return method
}

/** The answer for the client: without hop-by-hop fields, decompressed if an expression reads it. */
function takeAnswer(
  call: UpstreamCall,
  status_code: number,
  received: AnswerHead['received'],
  run: Run,
): UpstreamAnswer | Promise<UpstreamAnswer> {
  const length = lengthIn(received)
  const headers = answerHeaders(received)
  const body = call.body()
  if (run.readsBody && body instanceof Uint8Array) {
    return readable({ status_code, headers, body, length })
  }
  if (run.method === 'head' && !(body instanceof Uint8Array)) {
    body.destroy()
    return { status_code, headers, body: new Uint8Array(0), length }
  }
  return { status_code, headers, body, length }
}

/** The answer without its content encodings. */
async function readable(
  answer: UpstreamAnswer & { readonly body: Uint8Array },
): Promise<UpstreamAnswer> {
  const { status_code, body, length } = answer
  const plain = await decompress(body, answer.headers)
  // an answer to HEAD declares the length that the body of GET would have
  const left = body.length === 0 ? length : plain.bytes.length
  return { status_code, headers: plain.headers, body: plain.bytes, length: left }
}

function lengthIn({ 'content-length': length }: AnswerHead['received']): number | undefined {
  const text = Array.isArray(length) ? length[0] : length
  return text === undefined ? undefined : Number(text)
}
