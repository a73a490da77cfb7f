/** The real actions on connections and sessions that keep what they are told to send, and answer with the given outcome. */
import { Readable } from 'node:stream'
import type { Action, ActionFields, ActionType, Run } from '#component/action/action.ts'
import { type BodyCodec, decodeAnswer } from '#component/action/forward-body.ts'
import { type DroppedField, droppedFields, type HeaderMap } from '#component/action/headers.ts'
import { openActions } from '#component/action/index.ts'
import type { Connections, UpstreamRequest } from '#component/action/upstreams.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Payload, Session, SessionSource } from '#component/wamp/session.ts'
import { isOfGateway } from '#component/wamp/session-pool.ts'
import type { GivenOutcome } from './asked.ts'
import { answerDispatch, callResult, failDispatch, publication } from './given-outcome.ts'

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
  readonly identity?: 'session' | 'service'
}

/**
 * What an action was told. `type`, and the fields of the type as they would have left: `procedure` or `topic`, `args`, `kwargs`,
 * `options`; `http_method`, `host`, `path`, `query_string`, `headers`, `body`; for `static` the fields of the document.
 * Where the gateway refuses to send, `would_be_refused` is its sentence, and the fields are as evaluated.
 */
export interface ToldAction {
  readonly type: ActionType
  readonly would_be_refused: string | null
  /** WAMP: the realm, and whose session; null: the gateway's own. */
  readonly realm_uri?: string
  readonly session_of?: string | null
  /** WAMP: names of options that are not sent. */
  readonly dropped_options?: readonly string[]
  /** Forward: scheme, host, port, path and query. */
  readonly uri?: string
  readonly dropped_headers?: readonly DroppedField[]
  readonly [field: string]: unknown
}

/** The actions of one request. */
export class ToldActions {
  /** In the order in which they ran. */
  readonly all: ToldAction[] = []
  readonly table: Readonly<Record<ActionType, Action>>
  readonly #settings: ActionSettings
  readonly #outcomeOf: (index: number) => GivenOutcome
  /** The action that runs. */
  #fields: ActionFields = {}
  #run: Run | undefined

  /** @param outcomeOf the outcome of the first, second, … action */
  constructor(settings: ActionSettings, clock: Clock, outcomeOf: (index: number) => GivenOutcome) {
    this.#settings = settings
    this.#outcomeOf = outcomeOf
    const {
      static: fixed,
      forward,
      wamp_call,
      wamp_publish,
    } = openActions({
      ...settings,
      clock,
      sessions: this.#sessions,
      connections: this.#connections,
    }).table
    this.table = {
      static: this.#told('static', fixed),
      forward: this.#told('forward', forward),
      wamp_call: this.#told('wamp_call', wamp_call),
      wamp_publish: this.#told('wamp_publish', wamp_publish),
    }
  }

  #told(type: ActionType, action: Action): Action {
    return {
      perform: async (fields, run) => {
        this.#fields = fields
        this.#run = run
        const before = this.all.length
        if (type === 'static') this.all.push({ type, would_be_refused: null, ...fields })
        try {
          // one attempt: the outcome is what the action came to in the end
          return await action.perform(fields, { ...run, attempts: { ...run.attempts, retries: 0 } })
        } catch (error) {
          if (this.all.length === before) {
            const would_be_refused = error instanceof ServiceError ? error.message : null
            this.all.push({ type, would_be_refused, ...fields })
          }
          throw error
        }
      },
    }
  }

  /** The outcome of the action that is told now. */
  #tell(told: Omit<ToldAction, 'would_be_refused'> & Pick<ToldAction, 'type'>): GivenOutcome {
    const outcome = this.#outcomeOf(this.all.length)
    this.all.push({ ...told, type: told.type, would_be_refused: null })
    return outcome
  }

  get #sessions(): SessionSource {
    const tell = (
      realm_uri: string,
      session_of: string | null,
      told: { readonly type: ActionType; readonly [field: string]: unknown },
      { args, kwargs }: Payload,
      options: Readonly<Record<string, unknown>>,
    ): GivenOutcome => {
      const asked = isMap(this.#fields.options) ? Object.keys(this.#fields.options) : []
      const dropped_options = asked.filter((name) => !Object.hasOwn(options, name))
      const { type, ...what } = told
      return this.#tell({
        ...{ type, realm_uri, session_of, ...what, args, kwargs, options, dropped_options },
      })
    }
    const unused = (): never => {
      throw new TypeError('actions call and publish')
    }
    return {
      session: (realm_uri, identity): Session => {
        const session_of = isOfGateway(identity, this.#settings.identity) ? null : identity.authid
        return {
          realm_uri,
          isOpen: true,
          call: (procedure, payload, options) => {
            const told = { type: 'wamp_call', procedure } as const
            const outcome = tell(realm_uri, session_of, told, payload, options)
            return { result: callResult(outcome), cancel: () => undefined }
          },
          publish: (topic, payload, options) => {
            const told = { type: 'wamp_publish', topic } as const
            const outcome = tell(realm_uri, session_of, told, payload, options)
            return publication(outcome, options.acknowledge !== false)
          },
          register: unused,
          subscribe: unused,
          withdraw: unused,
          leave: unused,
        }
      },
    }
  }

  get #connections(): Connections {
    const { codec } = this.#settings
    return {
      pool: ({ text }) => ({
        dispatch: (request, handler) => {
          this.#forwarded(text, request).then(
            (told) => answerDispatch(this.#tell(told), handler, codec),
            (error: Error) => failDispatch(error, handler),
          )
        },
      }),
      close: async () => undefined,
    }
  }

  /** A request to an upstream in the words of the document. */
  async #forwarded(
    host: string,
    { method, path: target, headers, body }: UpstreamRequest,
  ): Promise<{ readonly type: ActionType; readonly [field: string]: unknown }> {
    const mark = target.indexOf('?')
    const path = mark < 0 ? target : target.slice(0, mark)
    const query_string = mark < 0 ? '' : target.slice(mark + 1)
    const sent = headers as HeaderMap
    const run = this.#run as Run
    return {
      type: 'forward',
      http_method: method.toLowerCase(),
      ...{ host, path, query_string, uri: host + target, headers: sent },
      body: await bodyOf(body, sent, this.#settings.codec),
      dropped_headers: droppedFields(this.#fields.headers, run, sent),
    }
  }
}

/** The body of an upstream request as a value. */
async function bodyOf(
  body: UpstreamRequest['body'],
  headers: HeaderMap,
  codec: BodyCodec,
): Promise<unknown> {
  if (body === null || body === undefined) return ''
  const chunks: Buffer[] = []
  if (body instanceof Readable) for await (const chunk of body) chunks.push(chunk as Buffer)
  else if (typeof body === 'string' || body instanceof Uint8Array) chunks.push(Buffer.from(body))
  const bytes = Buffer.concat(chunks)
  try {
    return decodeAnswer(bytes, headers, codec)
  } catch {
    return bytes // of a client that sends what its content type does not hold
  }
}
