/** The port from the embedded router to the realms: authentication of peers and authorization of their requests. */

/** The origin of a connection. */
export interface Peer {
  /** IP address; peers in this process are `127.0.0.1`. */
  readonly address: string
  /** Whether the peer is in this process, or in one that is trusted like it. */
  readonly isInProcess: boolean
  /** The Cookie field of its handshake, if the page that opened the connection may use cookies. */
  readonly cookie?: string | undefined
  /** What carries its messages; absent: a WebSocket. */
  readonly transport?: 'rawsocket'
}

/** The claims of a peer in HELLO. */
export interface Hello {
  readonly realm: string
  /** The id that the session will have: WAMP-CRA challenges name it. */
  readonly session: number
  /** Undefined when HELLO has no authid. */
  readonly authid: string | undefined
  /** The first method of the peer's list that the realm serves. */
  readonly authmethod: string
  readonly authextra: Readonly<Record<string, unknown>>
  readonly peer: Peer
}

/** The user of a session that is accepted. */
export interface Welcome {
  readonly kind: 'welcome'
  readonly authid: string
  /** The first one is announced as `authrole`. */
  readonly authroles: readonly string[]
  readonly authextra?: Readonly<Record<string, unknown>>
  /** How the user had logged in at the gateway: announced as the session's method, in place of the one of HELLO. */
  readonly authmethod?: string
  /** Whether the ticket or token of the session is revoked. */
  readonly isRevoked?: () => boolean
  /** Expiry of the ticket or token of the session; milliseconds since the epoch. */
  readonly expiresAt?: number
}

/** The proof that the peer must give before WELCOME. */
export interface Challenge {
  readonly kind: 'challenge'
  readonly challenge: 'ticket' | 'wampcra' | 'cryptosign'
  readonly extra: Readonly<Record<string, unknown>>
  /** Undefined when the signature is wrong. */
  check(signature: string): Promise<Welcome | undefined>
}

/** The peer may not join. */
export interface Refusal {
  readonly kind: 'refuse'
  /** The reason URI of ABORT. */
  readonly reason: string
  readonly message: string
}

export type Authentication = Welcome | Challenge | Refusal

/** A peer that may not join: of the methods that it offered, the one it was judged by, or all. */
export interface RefusedPeer extends Pick<Hello, 'realm' | 'authid' | 'peer'> {
  readonly authmethods: readonly string[]
}

/** An action of a session on a URI. */
export type RouterAction =
  | 'call'
  | 'cancel'
  | 'publish'
  | 'register'
  | 'subscribe'
  | 'unregister'
  | 'unsubscribe'

/** The user of a session. */
export interface Member {
  readonly realm: string
  readonly authid: string
  readonly authroles: readonly string[]
}

/** The state of a session by which it may stay. */
export interface MemberState extends Member {
  readonly authmethod: string
  readonly isRevoked?: (() => boolean) | undefined
}

/** The realms and their grants. The router asks at each request, so a change holds at once. */
export interface RealmPolicy {
  /** Whether sessions may join the realm. */
  hasRealm(realm: string): boolean
  authmethods(realm: string, peer: Peer): readonly string[]
  authenticate(hello: Hello): Promise<Authentication>
  /**
   * Is told of each peer that may not join. Absent: nobody is.
   * @param reason if the router has found it
   */
  refused?(peer: RefusedPeer, reason?: string): void
  /** Whether the session may still join. Asked before WELCOME, because its user may have been deleted since HELLO. */
  isWelcome(session: MemberState): boolean
  /**
   * @param match `exact`, `prefix` or `wildcard` of a registration or subscription
   * @param options of the message
   */
  isAllowed(
    session: Member,
    action: RouterAction,
    uri: string,
    match?: string,
    options?: Readonly<Record<string, unknown>>,
  ): boolean
  /** Whether a caller of the meta procedures may end the session. Absent: it may. */
  mayEnd?(caller: Member, session: Member): boolean
  /** Whether the session passes messages on for others, whom it names by `forward_for`. Absent: none does, and the option has no effect. */
  mayForward?(session: Member): boolean
  /** Whether the callee always sees callers and their roles, even those that do not disclose themselves. Absent: no callee does. */
  seesCallers?(callee: Member): boolean
}
