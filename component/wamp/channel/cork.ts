/** Writes the frames of one turn of the event loop in few goes, because each write costs a system call. */
import type { Duplex } from 'node:stream'

/** Corks one socket. */
export class Cork {
  readonly #framesPerWrite: number
  #socket: Duplex | undefined
  /** Frames of this turn of the event loop. */
  #frames = 0

  /** @param framesPerWrite absent: all frames of a turn leave in one write */
  constructor(framesPerWrite = Number.POSITIVE_INFINITY) {
    this.#framesPerWrite = framesPerWrite
  }

  /** Called before each frame. */
  frame(socket: Duplex): void {
    this.#socket = socket
    if (this.#frames === 0) setImmediate(this.#uncork)
    if (this.#frames % this.#framesPerWrite === 0) {
      socket.uncork()
      socket.cork()
    }
    this.#frames += 1
  }

  readonly #uncork = (): void => {
    this.#frames = 0
    this.#socket?.uncork()
  }
}
