/** What exchanges share that come over no connection: they have no body, and are given up by the gateway alone. */
import type { RawBody } from '#component/action/action.ts'
import type { ServiceError } from '#component/errors.ts'
import { Aborts } from './aborts.ts'
import { noBody } from './context.ts'
import type { Content } from './exchange.ts'

/** The part of an Exchange that is about its body and its end. */
export class BodilessExchange {
  readonly hasBody = false
  readonly #aborts = new Aborts()

  async readBody(): Promise<Content> {
    return noBody
  }

  async readBytes(): Promise<Uint8Array> {
    return new Uint8Array(0)
  }

  async readText(): Promise<string> {
    return ''
  }

  rawBody(): RawBody {
    throw new TypeError('there is no body')
  }

  onAbort(callback: (reason?: ServiceError) => void): void {
    this.#aborts.add(callback)
  }

  /** Nothing waits for the response any more, or the process stops. */
  abort(reason?: ServiceError): void {
    this.#aborts.abort(reason)
  }
}
