/** The call of a procedure: what expressions read of it, and how it passes the stages of a request. */
import { canonicalJson } from '#component/codec/json.ts'
import { BodilessExchange } from '#component/gateway/bodiless-exchange.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Invocation } from '#component/gateway/invocation.ts'
import type { StageListener } from '#component/gateway/stage.ts'
import type { Method } from '#component/request.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'

/** What a caller has sent. */
export type Called = Pick<Invocation, 'id' | 'procedure' | 'args' | 'kwargs' | 'details'>

/** Sends a progressive result. Resolves when more may follow. */
export type SendPiece = (
  piece: Readonly<{ args: readonly unknown[]; kwargs: Readonly<Record<string, unknown>> }>,
) => Promise<void> | undefined

const noTexts = {}

/** The one type that answers are kept as: it carries all that WAMP does. */
export const yieldType = 'application/msgpack'

/** An INVOCATION in the place of a request. */
export class InvocationExchange extends BodilessExchange implements Exchange {
  readonly id: string
  readonly method: Method
  readonly scheme = 'https'
  readonly peername = ''
  /** A caller has no address: limits by user take all that are not disclosed for one. */
  readonly client = ''
  readonly path: string
  readonly host = ''
  readonly port = ''
  readonly headers = noTexts
  readonly query_params = noTexts
  readonly query_lists = noTexts
  readonly invocation: Invocation
  /** Its distributed trace; undefined where there is none. */
  trace: RequestTrace | undefined
  served?: NonNullable<Exchange['served']>
  listener?: StageListener | undefined
  /** Sends a progressive result, and waits while the session has much to send. */
  readonly sendPiece: SendPiece

  /** @param method `get` where equal calls may have one answer, else `post` */
  constructor(called: Called, method: Method, sendPiece: SendPiece = async () => undefined) {
    super()
    this.sendPiece = sendPiece
    const { id, procedure } = called
    this.id = id
    this.method = method
    this.path = procedure
    this.invocation = { ...called, components: procedure.split('.'), caller: {} }
  }

  /** The arguments: what tells calls of one URI apart. */
  get query_string(): string {
    const { args, kwargs } = this.invocation
    return canonicalJson([args, kwargs])
  }

  header(): undefined {
    return undefined
  }

  negotiate(): string {
    return yieldType
  }

  negotiateLanguage(languages: readonly string[]): string {
    return languages[0] ?? 'en'
  }

  isAccepted(): boolean {
    return true
  }
}
