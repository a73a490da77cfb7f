/** The port to the client of a stream: where its bytes go, and how much of them waits. */

/** One open answer whose head has been sent. */
export interface Sink {
  /** Sends, or keeps what the connection does not take yet. Never throws; does nothing once the answer is over. */
  write(bytes: string | Uint8Array): void
  /** Bytes that have not been handed to the kernel. */
  readonly waiting: number
  /** Bytes that have been handed to the kernel, over the life of the connection. */
  readonly handed: number
  /**
   * Counts the bytes that wait in `limits.buffered_bytes`, in place of those counted before. Returns false, with nothing changed, where
   * the process or the network of the client holds too many. A sink without a connection has no such limit, and no `hold`.
   */
  hold?(bytes: number): boolean
  /** Ends the answer; the client reads what was written before. */
  end(): void
  /** Cuts the connection: the client sees an incomplete answer. */
  destroy(): void
  /** Calls back once, when the answer is over, whoever ended it. */
  onClose(callback: () => void): void
  /** Calls back once, when nothing waits any more. */
  onDrain(callback: () => void): void
}
