/** The request path: sessions into the realms of APIs, for calls and publications, through wampy. */
import { Wampy } from 'wampy'
import { ignore } from '#component/wamp/channel/channel.ts'
import type { Client, ClientPorts } from './client.ts'
import { code } from './messages.ts'
import type { SessionOptions } from './session-options.ts'
import { SupervisedSession } from './supervisor.ts'

type WampyOptions = ConstructorParameters<typeof Wampy>[1]

/** The WebSocket that wampy believes to speak over: messages pass it as they are. */
interface MessageSocket {
  readyState: 0 | 1 | 3
  readonly protocol: string
  readonly send: (message: readonly unknown[]) => void
  readonly close: () => void
  /** Set by wampy; asynchronous, so that what they throw can be caught. */
  onopen: () => void
  onmessage: (event: { data: readonly unknown[] }) => Promise<void>
  onclose: (event: object) => Promise<void>
}

/**
 * The calls under way of a client, by request id: a private member, held by test/contract/session/wampy-calls.test.ts. The public way, an
 * empty RESULT, makes a table of handlers, 13 closures and two promises for each message.
 */
export const callsOf = (wampy: Wampy): Record<number, unknown> | undefined =>
  Reflect.get(wampy, '_calls')

/** Serialization is the channel's. */
const identity = {
  protocol: 'json',
  isBinary: false,
  encode: (message: unknown) => message,
  decode: (message: unknown) => message,
}

class WampyClient implements Client {
  readonly #socket: MessageSocket
  readonly #wampy: Wampy
  readonly #procedures: string[] = []

  constructor({ realm_uri, credentials, send, close }: ClientPorts) {
    const socket: MessageSocket = {
      readyState: 0,
      protocol: 'wamp.2.json',
      send,
      close,
      onopen: ignore,
      onmessage: async () => undefined,
      onclose: async () => undefined,
    }
    this.#socket = socket
    const { authmethod, authid, authextra } = credentials
    const authmethods = [authmethod]
    this.#wampy = new Wampy('ws://router', {
      realm: realm_uri,
      ws: function open() {
        return socket
      } as unknown as NonNullable<WampyOptions['ws']>,
      serializer: identity as unknown as NonNullable<WampyOptions['serializer']>,
      autoReconnect: false,
      uriValidation: 'loose',
      // wampy wants authid, methods and onChallenge together, or none of them
      ...(authmethod === 'anonymous' || authid === undefined
        ? { helloCustomDetails: { authmethods, ...(authid === undefined ? {} : { authid }) } }
        : { authid, authmethods, authextra: { ...authextra }, onChallenge: credentials.answer }),
    })
    this.#wampy.connect().catch(ignore)
  }

  opened(): void {
    this.#socket.readyState = 1
    this.#socket.onopen()
  }

  receive(data: readonly unknown[]): void {
    this.#socket.onmessage({ data }).catch(ignore)
  }

  closed(): void {
    this.#socket.readyState = 3
    this.#socket.onclose({}).catch(ignore)
  }

  call(procedure: string): Promise<unknown> {
    return this.#wampy.call(procedure)
  }

  forget(id: unknown): void {
    const calls = callsOf(this.#wampy)
    if (calls === undefined) this.receive([code.result, id, {}])
    else delete calls[Number(id)]
  }

  publish(topic: string): Promise<unknown> {
    return this.#wampy.publish(topic)
  }

  register(procedure: string, endpoint: () => Promise<void>): Promise<unknown> {
    this.#procedures.push(procedure)
    return this.#wampy.register(procedure, endpoint)
  }

  unregister(): Promise<unknown> {
    const procedures = this.#procedures.splice(0)
    return Promise.all(procedures.map((procedure) => this.#wampy.unregister(procedure)))
  }

  leave(): void {
    this.#wampy.disconnect().catch(ignore)
  }
}

/** A session for requests, joined from now on until it leaves. */
export const requestSession = (options: SessionOptions): SupervisedSession =>
  new SupervisedSession(options, (ports) => new WampyClient(ports))
