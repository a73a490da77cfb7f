/** What an attack is, and what it is pointed at. */

/** A gateway on this machine that is being attacked. */
export interface Target {
  /** Base address of the gateway listener. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** Where WAMP clients connect. */
  readonly routerUrl: string
  /** Where the operator of the gateway manages it. */
  readonly adminUrl: string
  /** Its folder of data. */
  readonly dataDir: string
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
    /** POST with an Idempotency-Key: forwarded to an upstream that sends the body back. */
    readonly orders: string
    /** GET: with `flood`, `silent` or `wrong` behind it, a WebSocket: what the upstream does with a handshake. */
    readonly sockets: string
    /** GET: forwarded to an upstream of three targets, of which one answers: one is silent, and one answers wrongly. */
    readonly targets: string
    /** GET: a quota counts for each value of X-Tenant. */
    readonly metered: string
  }
}

/** The name of the tool. */
export const toolName = 'keep'

/** Bounds of {@link Attack.maxTurn}: of one body or message, and of a flood. */
export const turnOfOne = 100
export const turnOfFlood = 500

/** One attack. It needs no rights: what it does, every client that reaches the port can do. */
export interface Attack {
  readonly name: string
  /** One line for the report. */
  readonly about: string
  /** Options that the gateway is started with, by dotted key. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether the gateway listener serves TLS. */
  readonly isSecure?: boolean
  /** The longest that the gateway may take for itself between two looks at other clients, milliseconds; absent: {@link turnOfFlood}. */
  readonly maxTurn?: number
  /** Attacks until it has done all that it does, or until the signal. @param report takes what does not hold beside what others notice */
  run(target: Target, signal: AbortSignal, report: (problem: string) => void): Promise<void>
}
