/** What an attack is, and what it is pointed at. */

/** A gateway on this machine that is being attacked. */
export interface Target {
  /** Base address of the gateway listener. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** Where WAMP clients connect. */
  readonly routerUrl: string
  /** A realm that anonymous sessions may join. */
  readonly realm: string
  readonly paths: {
    /** GET: a fixed answer of 50 bytes. */
    readonly static: string
    /** GET: a WAMP call. */
    readonly call: string
    /** GET: forwarded to an upstream. */
    readonly forward: string
    /** GET: forwarded to an upstream that answers 8 MB, which pass through. */
    readonly large: string
    /** POST: the body is parsed, and one member of it sent back. */
    readonly parse: string
    /** POST: the body is parsed, and all of it sent back. */
    readonly echo: string
    /** POST: the body is checked against a schema that refers to itself in its alternatives. */
    readonly checked: string
    /** POST: the endpoint of tools; its tool is {@link toolName}, with any arguments. */
    readonly tools: string
    /** GET: a stream of events, which are kept for streams that come back. */
    readonly events: string
    /** GET: with a name behind it, a stream of a topic of that name. */
    readonly topics: string
    /** POST: the body is published to these streams. */
    readonly publish: string
  }
}

/** The name of the tool. */
export const toolName = 'keep'

/** One attack. It needs no rights: what it does, every client that reaches the port can do. */
export interface Attack {
  readonly name: string
  /** One line for the report. */
  readonly about: string
  /** Options that the gateway is started with, by dotted key. */
  readonly settings?: Readonly<Record<string, string>>
  /** Attacks until it has done all that it does, or until the signal. */
  run(target: Target, signal: AbortSignal): Promise<void>
}
