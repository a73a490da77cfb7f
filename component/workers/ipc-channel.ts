/** Requests and answers between the primary and a worker over IPC, the same at both ends. */
import type { Socket } from 'node:net'
import type { Clock } from '#component/clock.ts'
import { messageOf } from '#component/errors.ts'

/** Takes one value, and for some requests a connection; returns the answer or a promise of it. */
type Handler = (value: never, socket?: Socket) => unknown

/** The requests that one end answers, by name. */
type Handlers<T> = Record<keyof T, Handler>

/** An end of the IPC channel: of a child process, or of the process itself. */
interface End {
  readonly connected: boolean
  send?(
    message: object,
    socket: Socket | undefined,
    options: { readonly keepOpen?: boolean },
    callback: (error: Error | null) => void,
  ): boolean
  on(event: 'message', listener: (message: unknown, socket: unknown) => void): unknown
  on(event: 'disconnect' | 'close', listener: () => void): unknown
}

/** A request has a name, its answer has none. A notification has no id. */
interface Message {
  readonly id?: number
  readonly name?: string
  readonly value?: unknown
  /** In the place of an answer. */
  readonly error?: string
}

interface PendingRequest {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The other process has ended; it may or may not have received the request. */
export class ChannelLost extends Error {
  constructor() {
    super('the other process has ended')
    this.name = 'ChannelLost'
  }
}

/** Milliseconds that an answer may take unless told otherwise. */
const usualLimit = 5_000

/** One end: it answers the requests of `Own`, and sends those of `Other`. */
export class Channel<Own extends Handlers<Own>, Other extends Handlers<Other>> {
  readonly #end: End
  readonly #own: Own
  readonly #clock: Pick<Clock, 'after'>
  readonly #pending = new Map<number, PendingRequest>()
  #lastId = 0

  constructor(end: End, own: Own, clock: Pick<Clock, 'after'>) {
    this.#end = end
    this.#own = own
    this.#clock = clock
    end.on('message', (message, socket) => {
      this.#receive(message as Message, socket as Socket | undefined)
    })
    const lose = () => {
      for (const { reject } of this.#pending.values()) reject(new ChannelLost())
    }
    // both come after every message that was sent before the end
    end.on('disconnect', lose)
    // a child to which a connection was on its way is not said to be disconnected
    end.on('close', lose)
  }

  /** Sends a notification, which is not answered. */
  tell<K extends keyof Other & string>(name: K, value: Parameters<Other[K]>[0]): void {
    this.#send({ name, value })
  }

  /**
   * Sends a request and resolves with the answer. A connection that is sent along stays open on this side, too.
   * @throws ChannelLost when the other process goes, Error when it does not answer in time, or answers with an error
   */
  ask<K extends keyof Other & string>(
    name: K,
    value: Parameters<Other[K]>[0],
    { socket, limit = usualLimit }: { readonly socket?: Socket; readonly limit?: number } = {},
  ): Promise<Awaited<ReturnType<Other[K]>>> {
    if (!this.#end.connected) return Promise.reject(new ChannelLost())
    this.#lastId += 1
    const id = this.#lastId
    let stopTimer = () => {}
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      stopTimer = this.#clock.after(limit, () => {
        reject(new Error(`"${name}" got no response within ${limit} ms`))
      })
      this.#send({ id, name, value }, socket)
    }).finally(() => {
      stopTimer()
      this.#pending.delete(id)
    })
    return answer as Promise<Awaited<ReturnType<Other[K]>>>
  }

  #send(message: Message, socket?: Socket): void {
    // an ended process is noticed by its disconnect
    this.#end.send?.(message, socket, { keepOpen: true }, () => {})
  }

  #receive({ id, name, value, error }: Message, socket: Socket | undefined): void {
    if (name !== undefined) {
      this.#answer(id, name, value, socket).catch((cause: unknown) => {
        const found = messageOf(cause)
        if (id !== undefined) this.#send({ id, error: found })
      })
      return
    }
    const pending = this.#pending.get(id ?? 0)
    if (error === undefined) pending?.resolve(value)
    else pending?.reject(new Error(error))
  }

  async #answer(
    id: number | undefined,
    name: string,
    value: unknown,
    socket: Socket | undefined,
  ): Promise<void> {
    // both ends run the same version of this program
    const handler: Handler = this.#own[name as keyof Own]
    const answer = handler(value as never, socket)
    if (id !== undefined) this.#send({ id, value: await answer })
    else await answer
  }
}
