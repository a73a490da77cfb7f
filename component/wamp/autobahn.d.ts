/** The part of autobahn 26 that we use; `@types/autobahn` describes a much older one. */
declare module 'autobahn' {
  /** A transport as the library sees it; it replaces the three handlers. */
  export interface Transport {
    readonly info: { type: string; url: string | null; protocol: string | null }
    send(message: readonly unknown[]): void
    close(): void
    onmessage(message: readonly unknown[]): void
    onopen(): void
    onclose(event: { code: number; reason: string; wasClean: boolean }): void
  }

  /** Handed to the factory of the transport's type as it is. */
  export interface TransportOptions {
    readonly type: string
    readonly url: string
    readonly create: () => Transport
  }

  export interface TransportFactory {
    readonly type: string
    create(): Transport
  }

  /** Every operation throws the string "session not open" when it is not. */
  export interface Session {
    readonly isOpen: boolean
    call(
      procedure: string,
      args?: readonly unknown[],
      kwargs?: Readonly<Record<string, unknown>>,
    ): Promise<unknown>
    /** Undefined without `acknowledge`. */
    publish(
      topic: string,
      args: readonly unknown[],
      kwargs: Readonly<Record<string, unknown>>,
      options: { acknowledge: boolean; retain?: boolean },
    ): Promise<unknown>
    /** @param endpoint called with args, kwargs and details */
    register(
      procedure: string,
      endpoint: (args: never, kwargs: never, details: never) => unknown,
    ): Promise<unknown>
    /** @param handler called with args, kwargs and details */
    subscribe(
      topic: string,
      handler: (args: never, kwargs: never, details: never) => void,
    ): Promise<unknown>
    /** The registrations of this session. */
    readonly registrations: readonly Registration[]
    unregister(registration: Registration): Promise<unknown>
    leave(): void
  }

  /** One registration; opaque. */
  export interface Registration {
    readonly id: number
  }

  export interface ConnectionOptions {
    readonly realm: string
    /** Without `transports`. */
    readonly url?: string
    readonly transports?: readonly TransportOptions[]
    readonly authmethods?: readonly string[]
    readonly authid?: string | undefined
    readonly authextra?: Readonly<Record<string, unknown>>
    readonly onchallenge?: (
      session: Session,
      method: string,
      extra: Readonly<Record<string, unknown>>,
    ) => Promise<string>
    /** 0: never reconnects; -1: without limit. */
    readonly max_retries?: number
    /** Seconds before the first attempt to join again, 1.5 by default; each later one waits half as long again. */
    readonly initial_retry_delay?: number
    /** Seconds; 300 by default. */
    readonly max_retry_delay?: number
    readonly use_es6_promises?: boolean
    readonly on_user_error?: (error: unknown, message: string) => void
    readonly on_internal_error?: (error: unknown, message: string) => void
  }

  export interface Connection {
    readonly session: Session | null
    onopen: (session: Session) => void
    /** @param reason `closed`, `lost`, `unreachable` or `unsupported`; details hold the router's reason */
    onclose: (
      reason: string,
      details: { readonly reason: string | null; readonly message: string | null },
    ) => unknown
    open(): void
    close(): void
  }

  const autobahn: {
    readonly transports: {
      register(name: string, factory: new (options: TransportOptions) => TransportFactory): void
    }
    readonly Connection: new (options: ConnectionOptions) => Connection
    /** The error that an endpoint throws to answer with an ERROR. */
    readonly Error: new (
      error: string,
      args?: readonly unknown[],
      kwargs?: Readonly<Record<string, unknown>>,
    ) => object
    /** The console of the library. */
    readonly log: { warn: (...values: unknown[]) => void }
  }
  export default autobahn
}
