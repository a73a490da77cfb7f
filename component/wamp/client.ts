/** The port to a client library: one instance serves one connection and is thrown away with it. */
import type { Credentials } from './join-auth.ts'
import type { WampMessage } from './link.ts'

/** What a client library is given of its connection. */
export interface ClientPorts {
  readonly realm_uri: string
  readonly credentials: Credentials
  /** Takes a message to be sent; never throws. The connection completes and checks it. */
  readonly send: (message: WampMessage) => void
  /** The library wants the connection closed. */
  readonly close: () => void
}

/** What a connection asks of a client library. Operations build and send their message before they return. */
export interface Client {
  /** The transport is open: sends HELLO. */
  opened(): void
  /** Takes a message that came in. */
  receive(message: WampMessage): void
  /** The transport is gone. */
  closed(): void
  /** Each of these may reject when the library refuses to send; what is sent is settled by the connection. */
  call(procedure: string): Promise<unknown>
  /** Takes a call out of the client's own table: its result has been served, and nobody waits for what `call` returned. */
  forget(id: unknown): void
  publish(topic: string): Promise<unknown>
  /** @param endpoint called while INVOCATION is being received; what it resolves with is ignored */
  register(procedure: string, endpoint: () => Promise<void>): Promise<unknown>
  /** Sends UNREGISTER for everything that is registered; resolves when the router has answered all of them. */
  unregister(): Promise<unknown>
  /** @param onEvent called while EVENT is being received; never throws */
  subscribe(topic: string, onEvent: () => void, match: string | undefined): Promise<unknown>
  /** Sends GOODBYE. */
  leave(): void
}

/** Makes the client of a new connection. */
export type MakeClient = (ports: ClientPorts) => Client
