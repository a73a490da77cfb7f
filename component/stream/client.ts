/** The client of a stream, which may read too slowly, or not at all. */
import type { Frames } from './frames.ts'
import type { Sink } from './sink.ts'
import type { ClientPorts, StreamSettings } from './terms.ts'
import { ownFrame } from './view.ts'

/** How long the waiting bytes of a client may stay the same; milliseconds. */
const stuckMs = 120_000

/** Whose client it is. */
interface Owner {
  /** The connection is to be cut. */
  onCut(reason: 'slow' | 'stuck'): void
}

/** Writes to a client, and passes events over or cuts the connection where it does not read. */
export class Client {
  readonly #sink: Sink
  readonly #ports: ClientPorts
  readonly settings: StreamSettings
  readonly #owner: Owner
  /** Events that have been passed over since the client was told. */
  #dropped = 0
  #waitsForDrain = false
  /** When something was written last; milliseconds since the epoch. */
  #wroteAt: number
  /** Bytes that had been handed over at the last look, and when this number was new. */
  #handed = 0
  #handedAt: number

  constructor(sink: Sink, ports: ClientPorts, settings: StreamSettings, owner: Owner) {
    this.#sink = sink
    this.#ports = ports
    this.settings = settings
    this.#owner = owner
    this.#wroteAt = ports.clock.now()
    this.#handedAt = this.#wroteAt
  }

  get frames(): Frames {
    return this.settings.view.frames
  }

  /** Bytes that wait for it. */
  get waiting(): number {
    return this.#sink.waiting
  }

  get isFull(): boolean {
    return this.waiting > this.#ports.bufferBytes
  }

  write(bytes: string | Uint8Array): void {
    if (bytes.length === 0) return
    this.#wroteAt = this.#ports.clock.now()
    this.#sink.write(bytes)
  }

  /** Ends the answer behind what has been written. */
  end(): void {
    this.#sink.end()
  }

  /** Whether it takes events now; a client that has not is told first what it has missed. */
  admits(): boolean {
    return this.#dropped > 0 ? this.#recover() : !this.isFull
  }

  /** Passes events over, or cuts the connection, as the settings say. */
  passOver(events: number): void {
    if (this.settings.overflow === 'drop') {
      this.#dropped += events
      this.#ports.onDropped(events)
      return
    }
    this.#cut('slow')
  }

  /** Tells how many events were passed over. */
  tellDropped(): void {
    const dropped = this.#dropped
    if (dropped === 0) return
    this.#dropped = 0
    this.#ports.onGap('slow')
    this.write(ownFrame(this.frames, 'gap', { code: 'slow', dropped }))
  }

  /** Calls back once when nothing waits any more. */
  awaitDrain(callback: () => void): void {
    if (this.#waitsForDrain) return
    this.#waitsForDrain = true
    this.#sink.onDrain(() => {
      this.#waitsForDrain = false
      callback()
    })
  }

  /**
   * Looks after it: cuts the connection of a client that does not read any more, and tells one that reads again what it has missed.
   * @param periodMs until the next look
   * @returns whether a heartbeat is due
   */
  look(now: number, periodMs: number): boolean {
    const { handed, waiting } = this.#sink
    if (waiting === 0 || handed !== this.#handed) {
      this.#handed = handed
      this.#handedAt = now
    } else if (now - this.#handedAt >= stuckMs) {
      this.#cut('stuck')
      return false
    }
    if (this.#dropped > 0) this.#recover()
    return now - this.#wroteAt + periodMs > this.settings.heartbeatMs
  }

  #recover(): boolean {
    if (this.waiting > this.#ports.bufferBytes / 2) return false
    this.tellDropped()
    return true
  }

  #cut(reason: 'slow' | 'stuck'): void {
    this.#owner.onCut(reason)
    this.#sink.destroy()
  }
}
