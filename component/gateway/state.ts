/** One request on its way through the stages of its route. */
import type { Readable } from 'node:stream'
import type { OfferedSocket, Outcome } from '#component/action/action.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CheckedValues } from '#component/gateway/schemas/request-checks.ts'
import type { Identity } from '#component/identity.ts'
import type { CompiledOperation, InheritedValues, Route } from './api.ts'
import { CheckedView, noBody, RequestView } from './context.ts'
import type { Content, Exchange } from './exchange.ts'
import type { Headers } from './header-layers.ts'
import type { GatewayParts, SocketPlace } from './parts.ts'
import type { Stage, StageListener } from './stage.ts'
import type { CallStreaming } from './stream-plan.ts'

type Bindings = Readonly<Record<string, string>>

/** `action` of the API Context before the action. */
const nothing = {}

/** A request and what its stages have found; a stage sets what later ones read. Each member exists from the beginning. */
export class RequestState {
  readonly parts: GatewayParts
  readonly exchange: Exchange
  /** The route of most stages; {@link target} may be a generated endpoint. */
  readonly route: CompiledOperation
  readonly bindings: Bindings
  readonly stages: readonly Stage[]
  readonly inherited: InheritedValues
  /** Undefined for nearly all requests. */
  readonly listener: StageListener | undefined
  /** Index of the stage that was entered last. */
  at = 0
  /** The CORS headers of the answer: the headers of the specification win. */
  cors: Headers
  /** Who asks: nobody known, until security has passed. */
  identity: Identity
  security: Context['security']
  language: string
  /** The media type of a success; undefined: none is negotiated. */
  type: string | undefined = undefined
  content: Content = noBody
  /** Takes the bytes of a body that is read, before it is decoded. */
  onBody: ((bytes: Uint8Array) => void) | undefined = undefined
  checked: CheckedValues | undefined = undefined
  /** How a call is answered as a stream; undefined: it is not. */
  streaming: CallStreaming | undefined = undefined
  /** The content of the file of a form that is streamed; undefined: the body is none, or has no file. */
  file: Readable | undefined = undefined
  /** What an opening handshake offers to the upstream; undefined: the request asks for no WebSocket. */
  socket: OfferedSocket | undefined = undefined
  place: SocketPlace | undefined = undefined
  /** The context of actions that send the access token of the provider. */
  acting: Context | undefined = undefined
  outcome: Outcome | undefined = undefined
  /** Whether a call is answered in pieces: the body of the upstream is not read whole. */
  wantsPieces = false
  /** Whether the answer is kept for the repeats of the request: it has no headers of this request alone, and the action goes on without its client. */
  isHeld = false
  /** Where the answer comes from: it was kept before the request, or was made to be kept; undefined: from the later stages, for the request alone. */
  source: 'kept' | 'made' | undefined = undefined
  /** What the policies of the route know of the request; undefined: nothing. */
  policies: object | undefined = undefined
  /** The request that this one acts for; itself, where its answer is not kept. */
  readonly origin: RequestState
  /** Told of the outcome, where the answer may be kept. */
  readonly onOutcome: ((outcome: Outcome, context: Context) => void) | undefined
  #context: Context | undefined = undefined

  /**
   * @param route an endpoint has stages of its own, and none that reads more of a route
   * @param origin the request that this one acts for
   */
  constructor(
    parts: GatewayParts,
    exchange: Exchange,
    route: Route,
    inherited: InheritedValues,
    bindings: Bindings,
    stages: readonly Stage[],
    cors: Headers,
    origin?: RequestState,
    onOutcome?: RequestState['onOutcome'],
  ) {
    const { version } = route.path
    this.parts = parts
    this.exchange = exchange
    this.route = route as CompiledOperation
    this.bindings = bindings
    this.stages = stages
    this.inherited = inherited
    this.listener = exchange.listener
    this.cors = cors
    this.identity = version.anonymous
    this.security = version.anonymous
    this.language = version.languages[0] ?? 'en'
    this.origin = origin ?? this
    this.onOutcome = onOutcome
  }

  /** The operation, or the generated endpoint. */
  get target(): Route {
    return this.route
  }

  /** What expressions read before the action. */
  get context(): Context {
    this.#context ??= {
      request: this.#view(),
      invocation: this.exchange.invocation,
      action: nothing,
      security: this.security,
      random: this.parts.random,
    }
    return this.#context
  }

  /** The same once the action has ended. Only the keys that expressions know are read of its outcome. */
  contextAfter(outcome: Outcome): Context {
    const { request, invocation, security, random } = this.context
    return { request, invocation, action: outcome, security, random }
  }

  /** `request` of the API Context. */
  get request(): RequestView {
    return this.context.request as RequestView
  }

  /** From now on expressions see this body. */
  read(content: Content): undefined {
    this.content = content
    this.#context = undefined
  }

  /** From now on expressions see these values; undefined: those that came. */
  check(values: CheckedValues | undefined): undefined {
    this.checked = values
    this.#context = undefined
  }

  /** Another request that acts for this one, from the stage at this place. */
  actingAs(
    exchange: Exchange,
    at: number,
    cors: Headers,
    onOutcome?: RequestState['onOutcome'],
  ): RequestState {
    const { parts, route, inherited, bindings, stages } = this
    const state = new RequestState(
      ...([parts, exchange, route, inherited, bindings, stages, cors, this, onOutcome] as const),
    )
    state.at = at
    state.identity = this.identity
    state.security = this.security
    state.language = this.language
    state.type = this.type
    return state
  }

  #view(): RequestView {
    const { exchange, checked, bindings, language, content } = this
    return checked
      ? new CheckedView(exchange, checked, language, content)
      : new RequestView(exchange, bindings, language, content)
  }
}
