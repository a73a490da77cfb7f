/** Log lines that clients can cause at no cost to themselves: each network has a few a second, the others are counted. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { networkOf } from '#component/syntax/ip-address.ts'

/** Lines of one network in an interval. */
const most = 10
/** Milliseconds. */
const interval = 1000

/** A log that leaves lines out, and says how many. */
export class CappedLines {
  readonly #clock: Clock
  readonly #log: Pick<Log, 'info'>
  /** Lines of the current interval by network. */
  readonly #counts = new Map<string, number>()

  constructor(clock: Clock, log: Pick<Log, 'info'>) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * Writes a line, unless the network of the client has had its lines.
   * @param address IP address of the client
   */
  info(address: string, fields: object, message: string): void {
    if (this.#counts.size === 0) this.#clock.after(interval, () => this.#end())
    const network = networkOf(address)
    const count = (this.#counts.get(network) ?? 0) + 1
    this.#counts.set(network, count)
    if (count <= most) this.#log.info(fields, message)
  }

  #end(): void {
    const counts = [...this.#counts]
    this.#counts.clear()
    for (const [network, count] of counts) {
      if (count > most) this.#log.info({ network, lines: count - most }, 'lines left out')
    }
  }
}
