/** A link between a WAMP peer and a router that lives in the same process: messages pass as they are. */

/** A WAMP message: its code, then its fields. */
export type WampMessage = readonly unknown[]

/** One end of a link. Delivery is never synchronous: `send` returns before the other end sees the message. */
export interface Link {
  send(message: WampMessage): void
  /** Of the router's end: how many bytes the callee of a call has not read yet; absent: nobody knows. */
  unreadOf?: (request: number) => number
  /** Of the router's end: calls back once, when that callee has read what waits for it. */
  onRead?: (request: number, tell: () => void) => void
  /** Of the other end: the same as {@link unreadOf}. */
  unread?(request: number): number
  /** Of the other end: the same as {@link onRead}. */
  whenRead?(request: number, tell: () => void): void
  close(code: number, reason: string): void
  onMessage: (message: WampMessage) => void
  onClose: (code: number, reason: string) => void
}

/** Opens a link into the embedded router; undefined where an external router is configured. */
export type OpenLink = () => Link
