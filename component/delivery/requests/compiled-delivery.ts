/** What a delivery of a document makes of events: whether they are wanted, and the request of each attempt, signed and sent. */
import { type Action, drop, type Outcome, type Run } from '#component/action/action.ts'
import { type BodyCodec, encodeAs } from '#component/action/forward/body.ts'
import { noTarget } from '#component/action/watching/action-target.ts'
import type {
  AttemptEnd,
  DeliveredEvent,
  Delivery,
  DeliveryAttempt,
  DeliveryFailure,
  DeliveryGap,
  DeliveryRequest,
} from '#component/delivery/types.ts'
import { ExpressionError, ServiceError } from '#component/errors.ts'
import type { Context } from '#component/expression/nodes.ts'
import { unfit } from '#component/gateway/failure.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { anonymous } from '#component/identity.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import type { DeliveryPlan } from './plan.ts'
import { nameFields, signatureFields } from './signature.ts'
import type { Signers } from './signers.ts'
import type { UserSendingPorts } from './user-sending.ts'

/** What sending needs. */
export interface SendingPorts {
  /** Sends a forward. */
  readonly perform: Action['perform']
  readonly signers: Pick<Signers, 'find' | 'keys'>
  /** The origins of the targets of an upstream; undefined: the realm has no such upstream. */
  upstreamOrigins(realm_uri: string, name: string): readonly string[] | undefined
  readonly codec: BodyCodec
  /** At least 0, less than 1. */
  readonly random: () => number
  /** What endpoints of users need. */
  readonly ofUsers: UserSendingPorts
}

/** A request as it is rendered. */
export interface RenderedRequest {
  readonly method: string
  /** Of an upstream, undefined: where it goes is decided when it is sent. */
  readonly origin: string | undefined
  readonly upstream: string | undefined
  /** Whether the event, or a user, has decided even the host. */
  readonly isHostComputed: boolean
  /** Path and query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

/** Bytes of the longest body. */
const maxBody = 1_048_576

/** Characters of the longest key of an order. */
const maxOrder = 255

const json = 'application/json'

/** What stands for the endpoint of a user where none is meant, as in examples (RFC 2606 §3). */
const anyEndpoint = 'https://endpoint.example'

/** What stands for the user there. */
const anyUser = 'user'

const nothing = {}

/** Seconds of the longest `Retry-After` that is heard; a day. */
const maxRetryAfter = 86_400

/** `Retry-After` as milliseconds from now (RFC 9110 §10.2.3); undefined where it is malformed. */
export function retryAfterMs(value: unknown, now: number): number | undefined {
  const text = Array.isArray(value) ? value[0] : value
  if (typeof text !== 'string') return undefined
  const isSeconds = /^\d{1,9}$/.test(text)
  if (!isSeconds && !text.endsWith('GMT')) return undefined
  const at = isSeconds ? now + Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(at)) return undefined
  return Math.min(Math.max(at - now, 0), maxRetryAfter * 1000)
}

/** The failure of a value: a sentence without data of the event. */
const failedBy = (error: unknown): DeliveryFailure => {
  if (error instanceof ExpressionError) return { failed: error.detail }
  if (error instanceof ServiceError) return { failed: error.message }
  throw error
}

/** Renders requests of one delivery. Nothing is sent or signed here, so that explanations and examples see the same. */
export class DeliveryRendering {
  readonly #plan: DeliveryPlan
  readonly #ports: Pick<SendingPorts, 'codec' | 'random'>
  readonly #user: string | undefined

  /** @param user whose endpoint it is; absent: that of the document */
  constructor(plan: DeliveryPlan, ports: Pick<SendingPorts, 'codec' | 'random'>, user?: string) {
    this.#plan = plan
    this.#ports = ports
    this.#user = user
  }

  /** Whether the document wants the event, and the key of its order. */
  admit(event: DeliveredEvent): ReturnType<Delivery['admit']> {
    const { filter, order } = this.#plan
    const seen = this.#context({ event })
    try {
      if (filter) {
        const isWanted = filter.evaluate(seen)
        if (typeof isWanted !== 'boolean') throw unfit(filter, 'filter', 'true or false')
        if (!isWanted) return { isWanted }
      }
      if (!order) return { isWanted: true }
      const key = order.evaluate(seen)
      const isKey = typeof key === 'string' && key.length <= maxOrder
      if (!isKey) throw unfit(order, 'order', `a text of at most ${maxOrder} characters`)
      return { isWanted: true, order: key }
    } catch (error) {
      return failedBy(error)
    }
  }

  /** The request for an event. */
  ofEvent(event: DeliveredEvent, attempt: DeliveryAttempt): RenderedRequest | DeliveryFailure {
    const { topic: type, accepted_at: timestamp, kwargs: data } = event
    return this.#render({ event }, attempt, this.#plan.body, { type, timestamp, data })
  }

  /** The request for a gap. */
  ofGap(gap: DeliveryGap, attempt: DeliveryAttempt, body: Live): RenderedRequest | DeliveryFailure {
    return this.#render({ gap }, attempt, body, undefined)
  }

  #context(action: object, attempt?: DeliveryAttempt): Context {
    const { random } = this.#ports
    const { name, target } = this.#plan
    const ofUser = this.#user !== undefined || target.kind === 'endpoints'
    const user = ofUser && { user: this.#user ?? anyUser }
    const of = attempt && { name, attempt: attempt.attempt, webhook_id: attempt.webhook_id }
    return {
      ...{ request: nothing, security: nothing, action, random, counted: action },
      delivery: of || user ? { ...of, ...user } : undefined,
    }
  }

  #render(
    action: object,
    attempt: DeliveryAttempt,
    body: Live | undefined,
    otherwise: unknown,
  ): RenderedRequest | DeliveryFailure {
    const { method, headers: declared, target } = this.#plan
    const seen = this.#context(action, attempt)
    try {
      const headers: Record<string, unknown> = {}
      const given = declared?.evaluate(seen)
      for (const [name, value] of Object.entries(isMap(given) ? given : {})) {
        headers[name.toLowerCase()] = value
      }
      headers['content-type'] ??= json
      const value = body ? body.evaluate(seen) : otherwise
      return {
        ...{ method, headers, ...this.#target(target, seen) },
        body: this.#encode(value, headers['content-type']),
      }
    } catch (error) {
      return failedBy(error)
    }
  }

  #encode(value: unknown, type: unknown): Uint8Array {
    const isBytes = value instanceof Uint8Array
    const encoded = isBytes ? value : encodeAs(value, String(type), this.#ports.codec)
    if (encoded === undefined) {
      throw new ExpressionError('body: expected a text, or a value that the content type can hold')
    }
    const bytes = typeof encoded === 'string' ? Buffer.from(encoded) : encoded
    if (bytes.length > maxBody) throw new ExpressionError('body: it has more than 1 MiB')
    return bytes
  }

  #target(
    target: DeliveryPlan['target'],
    seen: Context,
  ): Pick<RenderedRequest, 'origin' | 'upstream' | 'isHostComputed' | 'path'> {
    if (target.kind === 'endpoints') {
      return { origin: anyEndpoint, upstream: undefined, isHostComputed: true, path: '/' }
    }
    if (target.kind !== 'url') {
      const { path: node } = target
      const path = node.evaluate(seen)
      if (typeof path !== 'string') throw unfit(node, 'to: path', 'a text')
      return target.kind === 'host'
        ? // a user has decided the host
          {
            origin: target.origin,
            upstream: undefined,
            isHostComputed: this.#user !== undefined,
            path,
          }
        : { origin: undefined, upstream: target.upstream, isHostComputed: false, path }
    }
    const { url: node } = target
    const text = node.evaluate(seen)
    const url = typeof text === 'string' ? URL.parse(text) : null
    const origin = url ? readOrigin(`${url.protocol}//${url.host}`) : undefined
    const isPlain = url?.username === '' && url.password === '' && url.hash === ''
    if (!url || !origin || 'problem' in origin || !isPlain) {
      throw unfit(node, 'to: url', 'a URL of http or https without a user and a fragment')
    }
    const path = `${url.pathname}${url.search}`
    return { origin: origin.text, upstream: undefined, isHostComputed: true, path }
  }
}

/** What a request leaves with, or why nothing may be sent. */
interface Signed {
  readonly fields?: Readonly<Record<string, string>>
  readonly kept?: AttemptEnd
}

/** What names a message that is sent now. Seconds since the epoch. */
interface SentName {
  readonly webhook_id: string
  readonly timestamp: number
}

/** How requests of a delivery leave. */
export interface Way {
  sign(rendered: RenderedRequest, name: SentName): Signed | Promise<Signed>
  readonly perform: Action['perform']
}

/** Makes a delivery to the endpoint of its document. */
export const deliveryOfDocument = (plan: DeliveryPlan, ports: SendingPorts): Delivery =>
  deliveryBy(plan, new DeliveryRendering(plan, ports), {
    sign: (rendered, name) => signedBy(plan, rendered, name, ports),
    perform: ports.perform,
  })

/** Makes a delivery whose requests leave by a way. */
export function deliveryBy(plan: DeliveryPlan, rendering: DeliveryRendering, way: Way): Delivery {
  const { gapBody } = plan
  const sent = (
    rendered: RenderedRequest | DeliveryFailure,
    attempt: DeliveryAttempt,
  ): DeliveryRequest | DeliveryFailure =>
    'failed' in rendered
      ? rendered
      : { send: (signal) => send(plan, rendered, attempt, signal, way) }
  return {
    ...{ realm_uri: plan.realm_uri, api_spec: plan.api_spec, name: plan.name },
    ...{ topic: plan.topic, match: plan.match, isActive: plan.isActive, limits: plan.limits },
    admit: (event) => rendering.admit(event),
    request: (event, attempt) => sent(rendering.ofEvent(event, attempt), attempt),
    ...(gapBody && {
      gapRequest: (gap: DeliveryGap, attempt: DeliveryAttempt) =>
        sent(rendering.ofGap(gap, attempt, gapBody), attempt),
    }),
  }
}

const refused = (error: string): AttemptEnd => ({ error, isRefused: true })

/** Signs and sends a request once; never rejects. */
export async function send(
  plan: Pick<DeliveryPlan, 'realm_uri' | 'limits' | 'connectTimeoutMs'>,
  rendered: RenderedRequest,
  attempt: DeliveryAttempt,
  signal: AbortSignal,
  way: Way,
): Promise<AttemptEnd> {
  const name = { webhook_id: attempt.webhook_id, timestamp: Math.floor(attempt.now / 1000) }
  const signed = await way.sign(rendered, name)
  if (signed.kept) return signed.kept
  const { origin, upstream, path, method, isHostComputed, body } = rendered
  const fields = {
    ...(upstream === undefined ? { host: origin } : { upstream }),
    ...{ http_method: method, path, query_string: '', body },
    headers: { ...rendered.headers, ...nameFields(name), ...signed.fields },
  }
  try {
    const outcome = await way.perform(fields, runOf(plan, attempt, isHostComputed, signal))
    return endOf(outcome, attempt.now)
  } catch (error) {
    if (error instanceof ExpressionError) return refused(error.detail)
    if (error instanceof ServiceError) return refused(error.message)
    return { error: 'the request could not be sent because of a bug in the gateway' }
  }
}

/** The fields of the signatures, none without a signer; `kept`: nothing may be sent. */
async function signedBy(
  { realm_uri, sign }: DeliveryPlan,
  { origin, upstream, body }: RenderedRequest,
  name: SentName,
  { signers, upstreamOrigins }: SendingPorts,
): Promise<Signed> {
  if (sign === undefined) return {}
  const refuse = (error: string) => ({ kept: refused(error) })
  const signer = signers.find(realm_uri, sign)
  if (signer === undefined) return refuse(`the realm has no signer ${JSON.stringify(sign)}`)
  const origins = origin === undefined ? upstreamOrigins(realm_uri, upstream ?? '') : [origin]
  if (origins === undefined) return refuse('the realm has no upstream of this name')
  const isAllowed = origins.every((one) => signer.origins.includes(one))
  if (!isAllowed) return refuse(`the signer ${JSON.stringify(sign)} does not go there`)
  try {
    const keys = await signers.keys(realm_uri, signer)
    if (keys.length === 0) {
      return refuse(`the signer ${JSON.stringify(sign)} has no secret that can be opened`)
    }
    return { fields: signatureFields(signer.form, keys, name, body) }
  } catch {
    return { kept: { error: 'the secrets of the signer cannot be read now' } }
  }
}

const once = { retries: 0, retry_timeout: 0 }

/** The run of a forward that no request has asked for. */
const runOf = (
  {
    realm_uri,
    limits,
    connectTimeoutMs,
  }: Pick<DeliveryPlan, 'realm_uri' | 'limits' | 'connectTimeoutMs'>,
  { webhook_id }: DeliveryAttempt,
  isHostComputed: boolean,
  signal: AbortSignal,
): Run => ({
  ...{
    realm_uri,
    target: noTarget,
    method: 'post',
    client: '',
    rawBody: undefined,
    readsBody: false,
  },
  identity: anonymous(realm_uri),
  attempts: { timeout: limits.timeoutMs, connect_timeout: connectTimeoutMs, ...once },
  computed: new Set(isHostComputed ? ['host', 'path'] : ['path']),
  request: {
    ...{ host: '', scheme: 'https', headers: {}, path: '/' },
    ...{ query_params: {}, query_string: '' },
  },
  invocation: { id: webhook_id },
  onCancel(callback) {
    const cancel = (): void => callback()
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  },
})

/** What an outcome is to the outbox. The body is dropped unread. */
function endOf(outcome: Outcome, now: number): AttemptEnd {
  drop(outcome)
  const { answer } = outcome
  if (answer) {
    const after = retryAfterMs(answer.headers['retry-after'], now)
    return { status: answer.status_code, ...(after !== undefined && { retryAfterMs: after }) }
  }
  if ('result' in outcome) return { error: 'no response came' }
  const { error, reason } = outcome
  const isTimeout = error.error_uri === 'service.error.timeout'
  return { error: reason ?? 'the request failed', ...(isTimeout && { isTimeout }) }
}
