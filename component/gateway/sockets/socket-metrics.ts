/** The metrics of the WebSockets that forwards have opened. */
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { ServedPath } from '#component/metrics/place.ts'

/** Is told of WebSockets. */
export interface SocketWatch {
  /** @returns to be called once with why it has ended: `client` or `upstream`, or why the gateway has ended it */
  opened(path: ServedPath): (reason: string) => void
  /** @param limit the key of the limit */
  refused(limit: string): void
}

/** Counts the WebSockets of a process. */
export class SocketMetrics implements SocketWatch {
  readonly #open: Family
  readonly #closed: Family
  readonly #refused: Family

  constructor(stock: SeriesStock) {
    this.#open = new Family(
      {
        name: 'gateway_websockets',
        help: 'WebSockets to upstreams that are open, by route pattern.',
        isGauge: true,
        subject: 'route',
      },
      stock,
    )
    this.#closed = new Family(
      {
        name: 'gateway_websockets_closed_total',
        help: 'WebSockets to upstreams that are over, by reason: client or upstream where that has ended it, else why the gateway has.',
        labels: ['reason'],
        isOfNode: true,
      },
      stock,
    )
    this.#refused = new Family(
      {
        name: 'gateway_websockets_refused_total',
        help: 'WebSockets that were refused, by the limit that they would have exceeded.',
        labels: ['limit'],
        isOfNode: true,
      },
      stock,
    )
  }

  opened(path: ServedPath): (reason: string) => void {
    // who raises a gauge lowers the same series
    const series = this.#open.on(path)
    series.add(1)
    return (reason) => {
      series.add(-1)
      this.#closed.with(reason).add()
    }
  }

  refused(limit: string): void {
    this.#refused.with(limit).add()
  }
}
