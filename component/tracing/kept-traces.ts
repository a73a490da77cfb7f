/** The last traces of this process, in memory only. */
import { LRUCache } from 'lru-cache'
import { stringifyJson } from '#component/codec/json.ts'

/** A trace, and the realm of its document, whose operators may see it. */
export interface KeptTrace {
  readonly realm_uri: string
  /** JSON text. */
  readonly text: string
}

/** How many traces are kept, how long (milliseconds), and how large each may be (bytes). */
const limits = { max: 100, ttl: 600_000, bytes: 262_144 } as const

/** Traces by their ids. */
export class KeptTraces {
  readonly #traces = new LRUCache<string, KeptTrace>({
    max: limits.max,
    ttl: limits.ttl,
    // the oldest goes first, read or not
    updateAgeOnGet: false,
  })

  /** Keeps a trace; one that is too large is kept without its largest members. */
  keep(id: string, realm_uri: string, trace: Readonly<Record<string, unknown>>): void {
    this.#traces.set(id, { realm_uri, text: textWithin(trace) })
  }

  /** Looks without making it newer; undefined when it is gone. */
  find(id: string): KeptTrace | undefined {
    return this.#traces.peek(id)
  }
}

function textWithin(trace: Readonly<Record<string, unknown>>): string {
  let left = { ...trace }
  for (;;) {
    const text = stringifyJson(left, Number.POSITIVE_INFINITY)
    if (Buffer.byteLength(text) <= limits.bytes) return text
    const sizes = Object.entries(left).map(([name, value]): [string, number] => [
      name,
      stringifyJson(value, Number.POSITIVE_INFINITY).length,
    ])
    const [largest] = sizes.reduce((one, other) => (other[1] > one[1] ? other : one))
    left = { ...left, [largest]: null, truncated: true }
  }
}
