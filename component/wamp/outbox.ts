/** What leaves on one connection: a request goes out whole, under the id that the client library has given it. */
import { type Channel, ignore } from '#component/wamp/channel/channel.ts'
import type { Client } from './client.ts'
import { failure, invocationError } from './failure.ts'
import type { WampMessage } from './link.ts'
import { code } from './messages.ts'
import { WampError } from './session.ts'

/** A message that waits for its id, in the second place: no client library passes all of its content on unchanged. */
export type Draft = [type: number, id: unknown, ...content: unknown[]]

/** A request: `[code, id, options, uri, …payload]`. */
export type RequestDraft = [
  type: number,
  id: undefined,
  options: Readonly<Record<string, unknown>>,
  uri: string,
  ...payload: unknown[],
]

/** Largest answer of a procedure: routers end the session of a callee over their limit, of which this is a usual one. */
const maxAnswerBytes = 8_388_608

/** An id that no subscription has: routers count from 1, or draw from 2^53 numbers. */
export const noSubscription = Number.MAX_SAFE_INTEGER

/** Calls an operation of the client library, which sends its message before it returns. */
export type StartRequest = (client: Client, uri: string) => Promise<unknown>

const startCall: StartRequest = (client, procedure) => client.call(procedure)

/** Exists as long as its connection. */
export class Outbox {
  readonly #channel: Channel
  /** The message that replaces an empty YIELD of the client library. */
  readonly #answerOf: (empty: WampMessage) => WampMessage
  readonly #hello: (message: WampMessage) => WampMessage
  /** The request that the client library is about to send. */
  #draft: Draft | undefined
  /** Why it could not be sent. */
  #problem: WampError | undefined

  /** @param hello completes the HELLO of the client library */
  constructor(
    channel: Channel,
    answerOf: (empty: WampMessage) => WampMessage,
    hello: (message: WampMessage) => WampMessage,
  ) {
    this.#channel = channel
    this.#answerOf = answerOf
    this.#hello = hello
  }

  /**
   * Sends a request by an operation of the client library.
   * @returns why it was not sent; it has no id if the library has refused it
   */
  request(draft: Draft, client: Client, start: StartRequest, uri: string): WampError | undefined {
    this.#problem = undefined
    this.#draft = draft
    try {
      start(client, uri).catch(ignore)
    } finally {
      this.#draft = undefined
    }
    if (draft[1] !== undefined) return this.#problem
    return failure('wamp.error.invalid_uri', 'the client library refuses the URI', false)
  }

  /**
   * Sends a request that the client library knows nothing of, under an id that it gives to a call.
   * @returns the id
   * @throws WampError when it cannot be sent
   */
  requestBelow(draft: Draft, client: Client): unknown {
    const problem = this.request(draft, client, startCall, 'wamp')
    client.forget(draft[1])
    if (problem) throw problem
    return draft[1]
  }

  /** Sends an answer that the client library knows nothing of. @returns why it cannot be sent */
  answer(message: WampMessage): WampError | undefined {
    return this.#send(message, maxAnswerBytes)
  }

  /** Sends a further piece of a call. @returns why it cannot be sent */
  piece(message: WampMessage): WampError | undefined {
    return this.#send(message)
  }

  /** Sends a message of the client library's; never throws. */
  pass(message: WampMessage): void {
    const draft = this.#draft
    if (draft) {
      draft[1] = message[1]
      this.#problem = this.#send(draft)
    } else if (message[0] === code.yield) {
      const problem = this.#send(this.#answerOf(message))
      if (problem) this.#send(invocationError(message[1], problem))
    } else this.#send(message[0] === code.hello ? this.#hello(message) : message)
  }

  #send(message: WampMessage, maxBytes?: number): WampError | undefined {
    try {
      this.#channel.send(message, maxBytes)
      return undefined
    } catch (error) {
      if (error instanceof WampError) return error
      return failure('wamp.error.invalid_argument', 'the payload cannot be serialized', false)
    }
  }
}
