/** What the embedded router asks of the realms: who may join, and who may do what. */

/** Where a peer connects from. */
export interface Peer {
  /** IP address; peers in this process are `127.0.0.1`. */
  readonly address: string
  /** Is it in this process, or in one that is trusted like it? */
  readonly isInProcess: boolean
  /** The Cookie field of its handshake, where the page that opened it may act by it. */
  readonly cookie?: string | undefined
}

/** What a peer says of itself in HELLO. */
export interface Hello {
  readonly realm: string
  /** The id that the session will have: WAMP-CRA challenges name it. */
  readonly session: number
  /** Undefined when the peer names nobody. */
  readonly authid: string | undefined
  /** The first method of the peer's list that the realm serves. */
  readonly authmethod: string
  readonly authextra: Readonly<Record<string, unknown>>
  readonly peer: Peer
}

/** Who a session acts for. */
export interface Welcome {
  readonly kind: 'welcome'
  readonly authid: string
  /** The first one is announced as `authrole`. */
  readonly authroles: readonly string[]
  readonly authextra?: Readonly<Record<string, unknown>>
  /** What is told of the session in place of the method of HELLO. */
  readonly authmethod?: string
  /** Is what it came with refused by now? */
  readonly isRevoked?: () => boolean
  /** When what it came with ends by itself; milliseconds since the epoch. */
  readonly expiresAt?: number
}

/** What the peer must prove before it is welcome. */
export interface Challenge {
  readonly kind: 'challenge'
  readonly challenge: 'ticket' | 'wampcra' | 'cryptosign'
  readonly extra: Readonly<Record<string, unknown>>
  /** Undefined when the signature is wrong. */
  check(signature: string): Promise<Welcome | undefined>
}

/** The peer may not join. */
interface Refusal {
  readonly kind: 'refuse'
  /** The reason URI of ABORT. */
  readonly reason: string
  readonly message: string
}

export type Authentication = Welcome | Challenge | Refusal

/** What a session does to a URI. */
export type RouterAction =
  | 'call'
  | 'cancel'
  | 'publish'
  | 'register'
  | 'subscribe'
  | 'unregister'
  | 'unsubscribe'

/** Who is in a session. */
interface Member {
  readonly realm: string
  readonly authid: string
  readonly authroles: readonly string[]
}

/** The realms and their grants, asked anew each time, so that a change holds at once. */
export interface RealmPolicy {
  /** May sessions be opened there? */
  hasRealm(realm: string): boolean
  authmethods(realm: string, peer: Peer): readonly string[]
  authenticate(hello: Hello): Promise<Authentication>
  /** May it be there now? Asked when it joins: since the HELLO its user may have gone. */
  isWelcome(
    session: Member & {
      readonly authmethod: string
      readonly isRevoked?: (() => boolean) | undefined
    },
  ): boolean
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
  /** Is it told who calls, and with which roles, whether callers ask for that or not? Absent: nobody is. */
  seesCallers?(callee: Member): boolean
}
