/** Exchanges with the other processes, twice a second, what each has used of the rate limits that all share. */
import type { MetricSource } from '#component/metrics/source.ts'
import type { PolicySharing, SharePorts } from '#component/policies/serve.ts'
import { tickMs, type UsageExchange } from './usage-exchange.ts'
import { readUsage, usageFields } from './usage-message.ts'

/** The dependencies of {@link UsageSharing}. */
export interface UsageSharingPorts extends SharePorts {
  readonly usage: UsageExchange
}

const noop = () => undefined

/** Of one process. */
export class UsageSharing implements PolicySharing {
  readonly #ports: UsageSharingPorts
  #stopTimer: () => void = noop
  #hasFailed = false

  constructor(ports: UsageSharingPorts) {
    this.#ports = ports
    const { clock, sync, usage } = ports
    sync.onUsage = (boot, fields) => {
      const heard = readUsage(fields)
      if (heard) usage.hear(boot, heard, clock.now())
      return heard !== undefined
    }
  }

  /** Tells the others from now on. */
  start(): void {
    this.#stopTimer = this.#ports.clock.after(tickMs, () => {
      this.start()
      void this.#tell()
    })
  }

  /** Tells what was not told yet, and no more. */
  async stop(): Promise<void> {
    this.#stopTimer()
    await this.#tell()
  }

  /** Never rejects: the next message tells the same sums. */
  async #tell(): Promise<void> {
    const { clock, session, sync, usage } = this.#ports
    usage.others = sync.processNames.length
    const told = usage.tell(clock.now())
    if (told === undefined || !session.isOpen) return
    this.#hasFailed = await sync.tell('usage', usageFields(told)).then(
      () => false,
      () => true,
    )
  }

  /** Its metric, by its name. */
  get sources(): Readonly<Record<string, MetricSource>> {
    return {
      gateway_rate_limit_alone: {
        help: '1 while the router is away, or refuses what processes tell each other: each counts the requests of rate limits for itself.',
        across: 'max',
        read: () => Number(!this.#ports.session.isOpen || this.#hasFailed),
      },
    }
  }
}
