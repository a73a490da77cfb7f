/** Passes events on to the consoles that are open at this node: each gets those that its operator may see. */
import { ServiceError } from '#component/errors.ts'

/** An open console. */
export interface EventReader {
  /** The only realm whose events it gets; undefined: those of all. */
  readonly within: string | undefined
  /** Must not throw. */
  tell(name: string, data: Readonly<Record<string, unknown>>): void
  /** No event comes any more. */
  end(): void
}

/** An event, and the realm that it is about; undefined: of the whole node. */
export interface ConsoleEvent {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
  readonly realm_uri: string | undefined
}

/** As many consoles may be open at a process. */
const mostReaders = 20

/** The consoles of a process. */
export class ConsoleEvents {
  /** Called when the first one opens. */
  onFirst: () => void = () => undefined
  /** Called when the last one has gone. */
  onNone: () => void = () => undefined
  readonly #readers = new Set<EventReader>()
  #isClosed = false

  get isWatched(): boolean {
    return this.#readers.size > 0
  }

  /**
   * @returns a function that ends it
   * @throws ServiceError `service.error.unavailable`
   */
  open(reader: EventReader): () => void {
    if (this.#isClosed) throw unavailable('this node is stopping')
    if (this.#readers.size >= mostReaders) {
      throw unavailable(`at most ${mostReaders} consoles may be open at a process`)
    }
    this.#readers.add(reader)
    if (this.#readers.size === 1) this.onFirst()
    return () => {
      if (this.#readers.delete(reader) && this.#readers.size === 0) this.onNone()
    }
  }

  tell({ name, data, realm_uri }: ConsoleEvent): void {
    for (const reader of this.#readers) {
      if (reader.within === undefined || reader.within === realm_uri) reader.tell(name, data)
    }
  }

  /** Tells each console what is made for its realm; undefined: nothing. */
  tellEach(
    name: string,
    make: (within: string | undefined) => ConsoleEvent['data'] | undefined,
  ): void {
    for (const reader of this.#readers) {
      const data = make(reader.within)
      if (data) reader.tell(name, data)
    }
  }

  /** Ends all of them. */
  close(): void {
    this.#isClosed = true
    for (const reader of [...this.#readers]) reader.end()
  }
}

const unavailable = (message: string) =>
  new ServiceError('service.error.unavailable', message, { headers: { 'retry-after': '5' } })
