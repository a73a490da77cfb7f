/** The real actions, which keep what they are told to send before it leaves for the world, real or not. */
import { Readable } from 'node:stream'
import type { Action, ActionFields, Outcome, Run } from '#component/action/action.ts'
import type {
  Connections,
  UpstreamHandler,
  UpstreamRequest,
} from '#component/action/connections/upstreams.ts'
import { type BodyCodec, decodeAnswer } from '#component/action/forward/body.ts'
import { type DroppedField, droppedFields, type HeaderMap } from '#component/action/headers.ts'
import { type Actions, openActions } from '#component/action/index.ts'
import { forEachType, kindOf } from '#component/action/kinds.ts'
import type { SubscribePorts } from '#component/action/wamp-subscribe/perform.ts'
import type { AttemptWatch } from '#component/action/watching/attempt-watch.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { IdentitySetting, SessionSource } from '#component/wamp/session.ts'
import { failDispatch } from './given-outcome.ts'
import { type ToldMessage, type ToldSnapshot, toldParts } from './told-sessions.ts'

/** The settings that actions obey. */
export interface ActionSettings {
  readonly codec: BodyCodec
  /** `forward.allowed_hosts` */
  readonly allowedHosts: readonly string[]
  /** `wamp.allowed_dynamic_uris` */
  readonly allowedDynamicUris: readonly string[]
  /** The name of this proxy in `Via`. */
  readonly viaName: string
  /** `wamp.identity` */
  readonly identity?: IdentitySetting
  /** Whether what is not sent is told with a mark in place of its trace context. */
  readonly marksTraceContext?: boolean
}

/** Where actions send to. @param index tells which action runs, from 0 */
export type World = (index: () => number) => {
  readonly sessions: SessionSource
  readonly streams: SubscribePorts['streams']
  readonly connections: Connections
  /** Whether bodies are passed on unread, and failed attempts are repeated. */
  readonly isReal: boolean
  /** Absent: attempts are not counted, and pass on no trace context. */
  readonly watch?: AttemptWatch | undefined
}

/**
 * What an action was told. `type`, and the fields of the type as they would have left: `procedure` or `topic`, `args`, `kwargs`,
 * `options`, and `snapshot` with the same of its call; `http_method`, `host`, `path`, `query_string`, `headers`, `body`; for `static`
 * the fields of the document.
 * Where the gateway refuses to send, `would_be_refused` is its sentence, and the fields are as evaluated.
 */
export interface ToldAction {
  readonly type: string
  readonly would_be_refused: string | null
  /** WAMP: the realm, and whose session; null: the gateway's own. */
  readonly realm_uri?: string
  readonly session_of?: string | null
  /** WAMP, over the session of the gateway: the user in whose name it is sent. */
  readonly forwarded_for?: ToldMessage['forwarded_for']
  /** WAMP: names of options that are not sent. */
  readonly dropped_options?: readonly string[]
  /** Forward: scheme, host, port, path and query. */
  readonly uri?: string
  readonly dropped_headers?: readonly DroppedField[]
  /** How often it was sent, where it was sent again. */
  readonly attempts?: number
  /** Of a real request: when it began, and how long it took; microseconds. */
  readonly us?: number
  readonly took_us?: number
  readonly [field: string]: unknown
}

type Told = Omit<ToldAction, 'would_be_refused' | 'type'>

/** Stands for the argument that `trace` of the document adds. */
const traceMark = '<trace context>'

/** Stands for a body that is passed on unread. */
const unread = '(passed on unread)'

/** The actions of one request. */
export class ToldActions {
  /** In the order in which they ran. */
  readonly all: ToldAction[] = []
  readonly table: Actions['table']
  /** Of the last one that has ended. */
  outcome: Outcome | undefined
  readonly #settings: ActionSettings
  readonly #world: ReturnType<World>
  readonly #since: (() => number) | undefined
  /** How many have begun. */
  #begun = 0
  /** The action that runs. */
  #type = ''
  #fields: ActionFields = {}
  #run: Run | undefined

  /** @param since microseconds since the request came; absent: times are not told */
  constructor(settings: ActionSettings, clock: Clock, world: World, since?: () => number) {
    this.#settings = settings
    this.#since = since
    this.#world = world(() => this.#begun - 1)
    const actions = openActions({
      ...settings,
      clock,
      ...toldParts(this.#world, settings.identity, {
        onMessage: (message) => this.#tellMessage(message),
        onSnapshot: (snapshot) => this.#tellSnapshot(snapshot),
      }),
      connections: this.#connections,
      watch: this.#world.watch,
    }).table
    this.table = forEachType((type) => this.#told(type, actions[type]))
  }

  #told(type: string, action: Action): Action {
    return {
      perform: async (fields, run) => {
        this.#begun += 1
        this.#fields = fields
        this.#run = run
        const us = this.#since?.()
        this.#type = type
        if (kindOf(type)?.reaches === undefined)
          this.all.push({ type, would_be_refused: null, ...fields })
        try {
          this.outcome = await action.perform(fields, this.#world.isReal ? run : once(run))
          if (us !== undefined) this.#time(us)
          return this.outcome
        } catch (error) {
          if (this.all.length < this.#begun) {
            const would_be_refused = error instanceof ServiceError ? error.message : null
            this.all.push({ type, would_be_refused, ...fields })
          }
          throw error
        }
      },
    }
  }

  /** Adds when the action that has ended began. */
  #time(us: number): void {
    const last = this.all.length - 1
    const told = this.all[last]
    if (told) this.all[last] = { ...told, us, took_us: (this.#since?.() ?? us) - us }
  }

  /** Keeps what is sent now; what is sent again was told already. */
  #tell(told: Told): void {
    const last = this.all.length - 1
    if (last < this.#begun - 1) {
      this.all.push({ type: this.#type, ...told, would_be_refused: null })
    } else {
      const { attempts = 1, ...before } = this.all[last] as ToldAction
      this.all[last] = { ...before, ...told, attempts: attempts + 1 } as ToldAction
    }
  }

  #tellMessage(message: ToldMessage): void {
    const asked = isMap(this.#fields.options) ? Object.keys(this.#fields.options) : []
    const dropped_options = asked.filter((name) => !Object.hasOwn(message.options, name))
    this.#tell({ ...this.#marked(message), dropped_options })
  }

  /** The call of a subscription: it is told with it. */
  #tellSnapshot(snapshot: ToldSnapshot): void {
    const last = this.all.pop()
    if (last) this.all.push({ ...last, snapshot: this.#marked(snapshot) })
  }

  /** A real message has the context itself. */
  #marked<T extends Pick<ToldMessage, 'kwargs'>>(message: T): T {
    const name = this.#run?.traceKwargs
    const isMarked = this.#settings.marksTraceContext === true && !this.#world.isReal
    if (name === undefined || !isMarked || message.kwargs === undefined) return message
    return { ...message, kwargs: { ...message.kwargs, [name]: traceMark } }
  }

  get #connections(): Connections {
    return {
      pool: (origin, isComputed, connectTimeoutMs) => ({
        dispatch: (request, handler) => {
          const pool = this.#world.connections.pool(origin, isComputed, connectTimeoutMs)
          const send = (body: unknown): void => {
            this.#tell(this.#forwarded(origin.text, request, body))
            pool.dispatch(request, handler)
          }
          this.#bodyOf(request, handler, send)
        },
      }),
      close: async () => undefined,
    }
  }

  /** Reads the body of a request as a value, and goes on. */
  #bodyOf(
    { body, headers }: UpstreamRequest,
    handler: UpstreamHandler,
    goOn: (body: unknown) => void,
  ): void {
    const decode = (bytes: Uint8Array): unknown => {
      try {
        return decodeAnswer(bytes, headers as HeaderMap, this.#settings.codec)
      } catch {
        return bytes // a client may send what its content type does not hold
      }
    }
    if (typeof body === 'string' || body instanceof Uint8Array) goOn(decode(Buffer.from(body)))
    else if (!(body instanceof Readable)) goOn('')
    else if (this.#world.isReal) goOn(unread)
    else {
      const onError = (error: Error): void => failDispatch(error, handler)
      body.toArray().then((chunks) => goOn(decode(Buffer.concat(chunks))), onError)
    }
  }

  /** A request to an upstream in the words of the document. */
  #forwarded(
    host: string,
    { method, path: target, headers }: UpstreamRequest,
    body: unknown,
  ): Told {
    const mark = target.indexOf('?')
    const path = mark < 0 ? target : target.slice(0, mark)
    const query_string = mark < 0 ? '' : target.slice(mark + 1)
    const sent = headers as HeaderMap
    return {
      http_method: method.toLowerCase(),
      ...{ host, path, query_string, uri: host + target, headers: sent, body },
      dropped_headers: droppedFields(this.#fields.headers, this.#run as Run, sent),
    }
  }
}

/** One attempt: a given outcome is what the action came to in the end. */
const once = (run: Run): Run => ({ ...run, attempts: { ...run.attempts, retries: 0 } })
