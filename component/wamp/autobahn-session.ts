/** The component side: sessions that register and answer calls through autobahn, over a transport of ours. */
import autobahn, {
  type Connection,
  type Session,
  type Transport,
  type TransportOptions,
} from 'autobahn'
import { ignore } from '#component/wamp/channel/channel.ts'
import type { Client, ClientPorts } from './client.ts'
import { code } from './messages.ts'
import type { SessionOptions } from './session-options.ts'
import { SupervisedSession } from './supervisor.ts'

/** The name of our transport in autobahn's registry. */
const transportType = 'wamp-gateway'

/** Gives autobahn the transport that its connection's options carry. */
class TransportFactory {
  readonly type = transportType
  readonly create: () => Transport

  constructor(options: TransportOptions) {
    this.create = options.create
  }
}

autobahn.transports.register(transportType, TransportFactory)

/** Ends a connection without autobahn's warning: its end is the supervisor's to log. Other connections of the process warn as ever. */
function quietly(end: () => void): void {
  const { warn } = autobahn.log
  autobahn.log.warn = ignore
  try {
    end()
  } finally {
    autobahn.log.warn = warn
  }
}

class AutobahnClient implements Client {
  readonly #connection: Connection
  readonly #transport: Transport

  constructor({ realm_uri, credentials, send, close }: ClientPorts) {
    this.#transport = {
      info: { type: transportType, url: null, protocol: null },
      send,
      close,
      onmessage: ignore,
      onopen: ignore,
      onclose: ignore,
    }
    this.#connection = new autobahn.Connection({
      realm: realm_uri,
      transports: [{ type: transportType, url: '', create: () => this.#transport }],
      authmethods: [credentials.authmethod],
      authid: credentials.authid,
      authextra: credentials.authextra,
      onchallenge: (_session, method, extra) => credentials.answer(method, extra),
      max_retries: 0,
      use_es6_promises: true,
      on_user_error: ignore,
      on_internal_error: ignore,
    })
    this.#connection.open()
  }

  opened(): void {
    this.#transport.onopen()
  }

  receive(message: readonly unknown[]): void {
    this.#transport.onmessage(message)
  }

  closed(): void {
    quietly(() => this.#transport.onclose({ code: 1000, reason: '', wasClean: true }))
  }

  call(procedure: string): Promise<unknown> {
    return this.#session.call(procedure)
  }

  forget(id: unknown): void {
    this.receive([code.result, id, {}])
  }

  publish(topic: string): Promise<unknown> {
    return this.#session.publish(topic, [], {}, { acknowledge: true })
  }

  register(procedure: string, endpoint: () => Promise<void>): Promise<unknown> {
    return this.#session.register(procedure, endpoint)
  }

  unregister(): Promise<unknown> {
    const session = this.#session
    return Promise.all(
      session.registrations.map((registration) => session.unregister(registration)),
    )
  }

  leave(): void {
    this.#session.leave()
  }

  get #session(): Session {
    const { session } = this.#connection
    if (!session) throw new TypeError('the connection has ended')
    return session
  }
}

/** A session of the component's own, joined from now on until it leaves. */
export const componentSession = (options: SessionOptions): SupervisedSession =>
  new SupervisedSession(options, (ports) => new AutobahnClient(ports))
