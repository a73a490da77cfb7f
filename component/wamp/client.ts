/** The port to a client library: one instance serves one connection and is thrown away with it. */
import type { Credentials } from './join-auth.ts'
import type { WampMessage } from './link.ts'

/** The part of a connection that a client library uses. */
export interface ClientPorts {
  readonly realm_uri: string
  readonly credentials: Credentials
  /** Takes a message to be sent; never throws. The connection completes and checks it. */
  readonly send: (message: WampMessage) => void
  /** The library wants the connection closed. */
  readonly close: () => void
}

/** The port to a client library. Operations build and send their message before they return. */
export interface Client {
  /** The transport is open: sends HELLO. */
  opened(): void
  /** Takes a message that came in. */
  receive(message: WampMessage): void
  /** The transport is gone. */
  closed(): void
  /** Each of these may reject when the library refuses to send; the connection settles what was sent. */
  call(procedure: string): Promise<unknown>
  /** Removes a call from the client's own table after the connection has delivered its result; the promise of `call` stays pending. */
  forget(id: unknown): void
  publish(topic: string): Promise<unknown>
  /** @param endpoint called while INVOCATION is being received; what it resolves with is ignored */
  register(procedure: string, endpoint: () => Promise<void>): Promise<unknown>
  /** Sends UNREGISTER for everything that is registered; resolves when the router has answered all of them. */
  unregister(): Promise<unknown>
  /** Sends GOODBYE. */
  leave(): void
}

/** Makes the client of a new connection. */
export type MakeClient = (ports: ClientPorts) => Client
