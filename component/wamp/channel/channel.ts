/** The port to a transport: whole messages out and in, below the client library; and the channel to a router in this process. */
import { maxSentDepth, maxSentValues } from '#component/codec/limits.ts'
import { binaryWalk, Walk, type WalkRules } from '#component/codec/walk.ts'
import { failure } from '#component/wamp/failure.ts'
import type { OpenLink, WampMessage } from '#component/wamp/link.ts'

/** One connection to a router, from opening to its end. */
export interface Channel {
  /**
   * Sends at once, or never: nothing is queued for a later connection.
   * @param maxBytes of the message, where that is less than the router takes
   * @throws WampError with wasSent false when the message cannot be carried
   */
  send(message: WampMessage, maxBytes?: number): void
  /** Bytes that were sent and have not left yet; of a router in this process those that the callee of a call has not read. */
  waiting(request: unknown): number
  /** Calls back once, when those bytes have left, or were read; never where the connection ends. */
  whenLess(request: unknown, tell: () => void): void
  /** Ends it after what was sent has left. Events may still follow. */
  close(): void
  /** Ends it now. Events may still follow. */
  destroy(): void
  onOpen: () => void
  onMessage: (message: WampMessage) => void
  /**
   * A message has come that cannot be read behind its first fields.
   * @param problem one lower-case sentence without data
   */
  onUnreadable: (fields: WampMessage, problem: string) => void
  /** The router closes the connection over a message that was sent. @param fields the first two of it @param bytes of all of it */
  onTooLarge: (fields: WampMessage, bytes: number) => void
  /** The link is silent, and the transport cannot ask for a sign of life: send what the router answers. */
  onQuiet: () => void
  /** @param reason one lower-case sentence for the log */
  onClose: (reason: string) => void
}

/** Opens a connection; its events come later, never before this returns. */
export type OpenChannel = () => Channel

/** Does nothing. */
export const ignore = (): void => undefined

/** The handlers of a channel before it is used, and after it has ended. */
export const silence = {
  ...{ onOpen: ignore, onMessage: ignore, onUnreadable: ignore, onQuiet: ignore, onClose: ignore },
  onTooLarge: ignore,
}

const walkRules: WalkRules = {
  ...binaryWalk,
  maxDepth: maxSentDepth,
  maxValues: maxSentValues,
  isStrict: true,
  refuse(problem, isTooLarge) {
    if (isTooLarge) throw tooLarge()
    throw failure('wamp.error.invalid_argument', problem, false)
  },
}

/** The failure of a message that is larger than the router, or a callee on it, accepts. */
export const tooLarge = () =>
  failure(
    'wamp.error.payload_size_exceeded',
    'the payload is larger than the router or a callee on it accepts',
    false,
  )

/**
 * Checks a message before it is sent: content that no router or serializer can carry is refused here (reliability F5).
 * @param maxBytes largest message, by estimate
 * @returns whether it holds values that must be converted for the binary serializers
 * @throws WampError with wasSent false
 */
export function checkMessage(message: WampMessage, maxBytes: number): boolean {
  const walk = new Walk(walkRules, maxBytes)
  walk.visit(message)
  return walk.hasSpecials
}

/**
 * Opens channels to the embedded router in this process: messages pass as they are, without socket and serialization.
 * @param maxBytes largest message, by estimate
 */
export const linkChannel = (openLink: OpenLink, maxBytes: number) => (): Channel => {
  const link = openLink()
  const close = () => link.close(1000, '')
  const channel: Channel = {
    ...silence,
    send(message, mostBytes = maxBytes) {
      // the receiver may be behind a socket: what a socket cannot carry is refused here
      checkMessage(message, Math.min(mostBytes, maxBytes))
      link.send(message)
    },
    waiting: (request) => link.unread?.(Number(request)) ?? 0,
    whenLess: (request, tell) => link.whenRead?.(Number(request), tell),
    close,
    destroy: close,
  }
  link.onMessage = (message) => channel.onMessage(message)
  link.onClose = () => channel.onClose('the router closed the link')
  queueMicrotask(() => channel.onOpen())
  return channel
}
