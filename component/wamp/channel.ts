/** The port to a transport: whole messages out and in, below whichever client library speaks. */
import type { WampMessage } from './link.ts'

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

/** Does nothing: the handlers of a channel that nobody listens to. */
export const ignore = (): void => undefined
