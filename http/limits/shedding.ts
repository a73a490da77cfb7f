/** Requests to refuse first under load: the most expensive ones, and those of the networks that send most. */
import type { Clock } from '#component/clock.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import type { Pressure } from './overload.ts'

/** A request with a larger body is refused first; bytes. */
const smallBody = 65_536

/** A network is greedy when it has more than this part of all requests in flight, streams left out, and more than `least`. */
const largeShare = { part: 1 / 4, least: 16 } as const

/** How long the set of greedy networks is reused; milliseconds. */
const interval = 1000

/** The parts of a request that decide whether it is refused. */
export interface Sheddable {
  /** The IP address of the client. */
  readonly client: string
  readonly hasBody: boolean
  /** Its length in bytes; undefined while that is unknown. */
  readonly body: { readonly length: number | undefined }
  /** Whether it is the first one of its connection. */
  readonly transport: { readonly isFirst: boolean }
  /** Defined when the answer is a stream that has begun: most of the time it costs nothing, and it may be open for hours. */
  readonly stream?: unknown
}

/** Why a request is refused: the first one of its connection, a large body, a greedy network; under full pressure all are. */
export type ShedReason = 'connection' | 'body' | 'network' | 'all'

/** Decides by request; costs nothing as long as there is no pressure. */
export class Shedding {
  /** The requests that were refused. */
  readonly counts: Record<ShedReason, number> = { connection: 0, body: 0, network: 0, all: 0 }
  readonly #clock: Pick<Clock, 'now'>
  readonly #exchanges: { keys(): readonly Sheddable[] }
  #greedy: ReadonlySet<string> = new Set()
  #lookedAt = Number.NEGATIVE_INFINITY

  /** @param exchanges the requests in flight */
  constructor(clock: Pick<Clock, 'now'>, exchanges: { keys(): readonly Sheddable[] }) {
    this.#clock = clock
    this.#exchanges = exchanges
  }

  /** Whether the request is refused at this pressure; it is counted then. */
  refuses(exchange: Sheddable, pressure: Pressure): boolean {
    if (pressure === 'none') return false
    const reason = pressure === 'full' ? 'all' : this.#reason(exchange)
    if (reason === undefined) return false
    this.counts[reason] += 1
    return true
  }

  #reason(exchange: Sheddable): ShedReason | undefined {
    if (isNew(exchange)) return 'connection'
    if (isLarge(exchange)) return 'body'
    return this.#isGreedy(networkOf(exchange.client)) ? 'network' : undefined
  }

  #isGreedy(network: string): boolean {
    const now = this.#clock.now()
    if (now - this.#lookedAt >= interval) {
      this.#lookedAt = now
      this.#greedy = greedyNetworks(this.#exchanges.keys())
    }
    return this.#greedy.has(network)
  }
}

/** Whether the request is the first of its connection; connections that were served before go on. */
const isNew = ({ transport }: Sheddable): boolean => transport.isFirst

const isLarge = ({ hasBody, body }: Sheddable): boolean =>
  hasBody && (body.length ?? Number.POSITIVE_INFINITY) > smallBody

function greedyNetworks(exchanges: readonly Sheddable[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  let all = 0
  for (const { client, stream } of exchanges) {
    if (stream !== undefined) continue
    const network = networkOf(client)
    counts.set(network, (counts.get(network) ?? 0) + 1)
    all += 1
  }
  const most = Math.max(all * largeShare.part, largeShare.least)
  return new Set([...counts].filter(([, count]) => count > most).map(([network]) => network))
}
