/** The listener of one request that records how it goes: what is checked, what its actions send, and what they come to. */
import { Readable } from 'node:stream'
import type { Outcome } from '#component/action/action.ts'
import { type BodyCodec, decodeAnswer } from '#component/action/forward/body.ts'
import type { DroppedField, HeaderMap } from '#component/action/headers.ts'
import type { Sent, SentMessage, SentUpstream } from '#component/action/sent.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { JudgedPart } from '#component/gateway/schemas/mismatches.ts'
import type { BegunAction, StageListener } from '#component/gateway/stage.ts'
import type { PolicyCheck, StageFacts } from '#component/gateway/stage-facts.ts'
import type { Identity } from '#component/identity.ts'
import { isMap } from '#component/syntax/values.ts'
import { type IdentitySetting, isForwarded, isOfGateway } from '#component/wamp/session.ts'
import { admission, answerFit, type Check, checksOf, requestFit, type Serving } from './checks.ts'
import { type Evaluated, Evaluations, type Recorder } from './recorder.ts'

/** The settings that a record obeys. */
export interface RecordSettings {
  readonly codec: BodyCodec
  /** `wamp.identity` */
  readonly identity?: IdentitySetting
  /** Whether a message has a mark in place of its trace context, as where nothing is sent. */
  readonly marksTraceContext?: boolean
  /** The targets of an upstream of a realm as they are now; absent: they are not told. */
  readonly targetsOf?: (realm_uri: string, upstream: string) => readonly SeenTarget[] | undefined
}

/** A target of an upstream, and what has become of it. */
interface SeenTarget {
  readonly url: string
  readonly state: string
}

/**
 * What an action sends. `type`, and the fields of the type as they leave: `procedure` or `topic`, `args`, `kwargs`, `options`, and
 * `snapshot` with the same of its call; `http_method`, `host`, `path`, `query_string`, `headers`, `body`; for `static` the fields of the
 * document. Where the gateway refuses to send, `would_be_refused` is its sentence, and the fields are as evaluated.
 */
export interface RecordedAction {
  readonly type: string
  /** Of an action that another one performs: its name there, or the position of its item. */
  readonly branch?: string
  readonly would_be_refused: string | null
  /** A forward to an upstream: what decides the target, and those that there are; absent: the realm has none, or no realm is asked. */
  readonly upstream?: string
  readonly group?: string
  readonly hash?: string
  readonly targets?: readonly SeenTarget[]
  /** WAMP: the realm, and whose session; null: the gateway's own. */
  readonly realm_uri?: string
  /** A call that the body of the request follows: the size of each piece; bytes. */
  readonly chunks?: readonly number[]
  readonly session_of?: string | null
  /** WAMP, over the session of the gateway: the user in whose name it is sent. Callees see the first role as the role of the caller. */
  readonly forwarded_for?: Pick<Identity, 'authid' | 'authroles'>
  /** WAMP: names of options that are not sent. */
  readonly dropped_options?: readonly string[]
  /** Forward: scheme, host, port, path and query. */
  readonly uri?: string
  readonly dropped_headers?: readonly DroppedField[]
  /** Forward: the type of the credentials that the upstream has. */
  readonly auth?: string
  /** How often it was sent, where it was sent again. */
  readonly attempts?: number
  /** Of a real request: when it began, and how long it took; microseconds. */
  readonly us?: number
  readonly took_us?: number
  readonly [field: string]: unknown
}

type SentFields = Omit<RecordedAction, 'would_be_refused' | 'type'>

/** Stands for the argument that `trace` of the document adds. */
const traceMark = '<trace context>'

/** Stands for a body that is passed on unread. */
const unread = '(passed on unread)'

/** A limit has a check of its own. */
const isSame = (one: Check, other: Check): boolean =>
  one.step === other.step && ('name' in one ? one.name : '') === ('name' in other ? other.name : '')

/** How a request went. */
export interface Recorded {
  /** Absent where no operation of a document serves it. */
  readonly operation?: CompiledOperation
  /** In the order in which they were made; the last one may have failed. */
  readonly checks: readonly Check[]
  /** Those that ran, in their order. */
  readonly actions: readonly RecordedAction[]
  /** Of the last action that has ended; absent: none has. */
  readonly outcome?: Outcome
  /** Where the path was compiled with a recorder: constants first. */
  readonly expressions: readonly Evaluated[]
}

/** What is recorded. */
interface Recording {
  readonly settings: RecordSettings
  readonly exchange: Exchange
  /** Undefined: no operation serves the request, and nothing is checked. */
  readonly serving: Serving | undefined
  /** That the path was compiled with. */
  readonly recorder: Recorder | undefined
  /** Microseconds since the request came; absent: a rehearsal, which has no times. */
  readonly since?: () => number
}

/** One request. */
export class RequestRecord implements StageListener {
  readonly checks: Check[] = []
  readonly actions: RecordedAction[] = []
  outcome: Outcome | undefined
  readonly #of: Recording
  readonly #evaluations = new Evaluations()
  /** The parts of the request that were checked against their schemas. */
  readonly #judged: JudgedPart[] = []
  /** Of the actions that have begun: when, and where they stand among all once they have sent something. */
  readonly #begun = new Map<BegunAction, { readonly us: number | undefined; at?: number }>()
  /** What is sent once its body is known: of a rehearsal. */
  #unread: { readonly fields: SentFields; readonly action: BegunAction } | undefined

  /** Begins to listen. */
  constructor(recording: Recording) {
    this.#of = recording
    const { exchange, serving } = recording
    exchange.listener = this
    // the tool is known from the body; a call comes over no connection
    if (serving && !serving.tool && !exchange.invocation)
      this.#noteAll(admission(serving, exchange))
  }

  /** Runs a task of the request, whose expressions are recorded. */
  during<T>(task: () => T): T {
    return this.#of.recorder?.during(this.#evaluations, task) ?? task()
  }

  /** @param path JSON Pointer of the path of its operation */
  resultOf(path: string): Recorded {
    const { checks, actions, outcome } = this
    const { operation } = this.#of.serving ?? {}
    const constants = this.#of.recorder?.constantsFor(path, operation?.at) ?? []
    return {
      ...(operation && { operation }),
      ...(outcome && { outcome }),
      ...{ checks, actions, expressions: [...constants, ...this.#evaluations.all] },
    }
  }

  enter(): void {}

  leave<Name extends keyof StageFacts>(name: Name, facts: StageFacts[Name], error?: unknown): void {
    const serving = this.#of.serving
    if (serving === undefined) return
    this.#noteAll(checksOf(name, facts, serving, error))
    if (name === 'body' && serving.tool) this.#noteAll(admission(serving, this.#of.exchange))
    if (name === 'schema') {
      const { checks } = facts as StageFacts['schema']
      this.#noteAll([requestFit(checks.mode, this.#judged)])
    }
    if (name === 'input') {
      this.#noteAll([requestFit((facts as StageFacts['input']).mode, this.#judged)])
    }
  }

  judged(part: JudgedPart): void {
    if (part.part === 'response') this.#noteAll([answerFit(part)])
    else this.#judged.push(part)
  }

  finds(finding: PolicyCheck): void {
    if (this.#of.serving) this.#noteAll([finding])
  }

  answered(): void {}

  actionBegins(action: BegunAction): void {
    const { plan, fields } = action
    if (plan.type === 'none' || plan.branches) return
    this.#begun.set(action, { us: this.#of.since?.() })
    if (plan.kind.reaches === undefined) this.#put(action, { would_be_refused: null, ...fields })
  }

  actionSends(sent: Sent, action: BegunAction): void {
    if (sent.kind === 'snapshot') {
      const last = this.#told(action)
      if (last) this.#put(action, { ...last, snapshot: this.#marked(sent.message, action) })
    } else if (sent.kind === 'message') this.#add(this.#messageOf(sent, action), action)
    else {
      const fields = { ...requestOf(sent), ...this.#targetsOf(sent.upstream) }
      const { body, headers } = sent
      if (!(body instanceof Readable)) {
        this.#add({ ...fields, body: this.#read(body, headers) }, action)
      } else if (this.#of.since) this.#add({ ...fields, body: unread }, action)
      else this.#unread = { fields, action }
    }
  }

  #targetsOf(sent: SentUpstream | undefined): Pick<RecordedAction, 'targets'> {
    const realm_uri = this.#of.serving?.operation.path.version.realm_uri ?? ''
    const targets = sent && this.#of.settings.targetsOf?.(realm_uri, sent.upstream)
    return targets ? { targets } : {}
  }

  /** The upstream of a rehearsal has got the whole body of what was sent last. */
  received(body: Uint8Array): void {
    if (this.#unread === undefined) return
    const { fields, action } = this.#unread
    this.#unread = undefined
    this.#add({ ...fields, body: this.#read(body, fields.headers as HeaderMap) }, action)
  }

  /** The callee of a rehearsal has got the whole body behind the call that was sent last. @param chunks the size of each piece; bytes */
  chunked(chunks: readonly number[]): void {
    const last = this.actions.at(-1)
    if (last) this.actions[this.actions.length - 1] = { ...last, chunks }
  }

  actionEnds(action: BegunAction, outcome: Outcome | undefined, error?: unknown): void {
    const { plan, fields } = action
    if (plan.type === 'none') return
    if (outcome) this.outcome = outcome
    const begun = this.#begun.get(action)
    if (begun === undefined) return
    const last = this.#told(action)
    if (outcome) {
      const { us } = begun
      const times = us !== undefined && { us, took_us: (this.#of.since?.() ?? us) - us }
      if (last) this.#put(action, { ...last, ...times })
    } else if (last === undefined) {
      const would_be_refused = error instanceof ServiceError ? error.message : null
      this.#put(action, { would_be_refused, ...fields })
    }
  }

  /** What is known of an action that has sent something. */
  #told(action: BegunAction): RecordedAction | undefined {
    const at = this.#begun.get(action)?.at
    return at === undefined ? undefined : this.actions[at]
  }

  #put(action: BegunAction, fields: Omit<RecordedAction, 'type'>): void {
    const begun = this.#begun.get(action)
    if (begun === undefined) return
    begun.at ??= this.actions.length
    const { plan, branch } = action
    const told = { ...(branch !== undefined && { branch }), type: plan.type, ...fields }
    this.actions[begun.at] = told as RecordedAction
  }

  /** None follows a check that has failed, and none is made twice: what is asked then is for rendering the answer. */
  #noteAll(checks: readonly Check[]): void {
    for (const check of checks) {
      const { checks: all } = this
      if (all.at(-1)?.passed === false || all.some((one) => isSame(one, check))) continue
      all.push(this.#of.since ? { ...check, us: this.#of.since() } : check)
    }
  }

  /** Keeps what is sent now; what is sent again is there already. */
  #add(sent: SentFields, action: BegunAction): void {
    const last = this.#told(action)
    if (last === undefined) {
      this.#put(action, { ...sent, would_be_refused: null })
      return
    }
    const { attempts = 1, ...before } = last
    this.#put(action, { ...before, ...sent, attempts: attempts + 1 } as RecordedAction)
  }

  /** A WAMP message in the words of the document. */
  #messageOf(
    { realm_uri, identity, uri, message }: Sent & { readonly kind: 'message' },
    action: BegunAction,
  ): SentFields {
    const { identity: setting } = this.#of.settings
    const { authid, authroles } = identity
    const { options } = action.fields
    const asked = isMap(options) ? Object.keys(options) : []
    return {
      realm_uri,
      ...(isForwarded(identity, realm_uri, setting, uri)
        ? { session_of: null, forwarded_for: { authid, authroles } }
        : { session_of: isOfGateway(identity, setting) ? null : authid }),
      ...this.#marked(message, action),
      dropped_options: asked.filter((name) => !Object.hasOwn(message.options, name)),
    }
  }

  /** A real message has the context itself. */
  #marked(message: SentMessage, { plan }: BegunAction): SentMessage {
    const name = plan.traceKwargs
    const { kwargs } = message
    if (!this.#of.settings.marksTraceContext || name === undefined || kwargs === undefined)
      return message
    return { ...message, kwargs: { ...kwargs, [name]: traceMark } }
  }

  #read(body: Uint8Array | null, headers: HeaderMap): unknown {
    if (body === null) return ''
    try {
      return decodeAnswer(body, headers, this.#of.settings.codec)
    } catch {
      return body // a client may send what its content type does not hold
    }
  }
}

/** A request to an upstream in the words of the document, without its body. */
function requestOf({
  method,
  origin: host,
  target,
  headers,
  dropped: dropped_headers,
  upstream,
  auth,
}: Sent & { readonly kind: 'request' }): SentFields {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query_string = mark < 0 ? '' : target.slice(mark + 1)
  return {
    http_method: method.toLowerCase(),
    ...upstream,
    ...{ host, path, query_string, uri: host + target, headers, body: '', dropped_headers },
    ...(auth !== undefined && { auth }),
  }
}
