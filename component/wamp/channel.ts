/** The port to a transport: whole messages out and in, below the client library. */
import { maxSentDepth, maxSentValues } from '#component/codec/limits.ts'
import { binaryWalk, Walk, type WalkRules } from '#component/codec/walk.ts'
import { failure } from './failure.ts'
import type { WampMessage } from './link.ts'
import { uris } from './uris.ts'

/** One connection to a router, from opening to its end. */
export interface Channel {
  /**
   * Sends at once, or never: nothing is queued for a later connection.
   * @throws WampError with wasSent false when the message cannot be carried
   */
  send(message: WampMessage): void
  /** Ends it after what was sent has left; {@link onClose} does not follow. */
  close(): void
  /** Ends it now; {@link onClose} does not follow. */
  destroy(): void
  onOpen: () => void
  onMessage: (message: WampMessage) => void
  /** @param reason one lower-case sentence for the log */
  onClose: (reason: string) => void
}

/** Opens a connection; its events come later, never before this returns. */
export type OpenChannel = () => Channel

/** Does nothing: the initial handlers of a channel. */
export const ignore = (): void => undefined

const walkRules: WalkRules = {
  ...binaryWalk,
  maxDepth: maxSentDepth,
  maxValues: maxSentValues,
  isStrict: true,
  refuse(problem, isTooLarge) {
    if (isTooLarge) throw tooLarge()
    throw failure(uris.errors.invalidArgument, problem, false)
  },
}

/** The failure of a message that is larger than the router accepts. */
export const tooLarge = () =>
  failure(uris.errors.payloadSizeExceeded, 'the payload is larger than the router accepts', false)

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
