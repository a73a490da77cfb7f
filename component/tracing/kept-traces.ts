/** The last traces of this process, in memory only. */
import { LRUCache } from 'lru-cache'
import { stringifyJson } from '#component/codec/json.ts'

/** A trace, and what is known of it without reading it. */
export interface KeptTrace {
  /** The document that has served the request. */
  readonly api_spec: string
  /** Its realm, whose operators may see the trace. */
  readonly realm_uri: string
  readonly listed: ListedTrace
  /** JSON text. */
  readonly text: string
}

/** A trace in a list. */
interface ListedTrace {
  readonly id: string
  /** When the request came; milliseconds since the epoch. */
  readonly ts: number
  readonly method: string
  /** The pattern of the route. */
  readonly route: string
  /** Of the reply. */
  readonly status: number
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
  keep(known: Omit<KeptTrace, 'text'>, trace: Readonly<Record<string, unknown>>): void {
    this.#traces.set(known.listed.id, { ...known, text: textWithin(trace) })
  }

  /** Those of a document, made while it belonged to this realm. */
  list(api_spec: string, realm_uri: string): ListedTrace[] {
    const all = [...this.#traces.values()].filter(
      (trace) => trace.api_spec === api_spec && trace.realm_uri === realm_uri,
    )
    return all.map(({ listed }) => listed)
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
