/** The addresses of a name, asked for from time to time: those of the family of the first, as the system gives them. */
import type { Lookup } from '#component/action/connections/connector.ts'
import { refuseAddress } from '#component/action/connections/origin.ts'
import type { Clock } from '#component/clock.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'

interface AddressPorts {
  readonly clock: Clock
  readonly lookup: Lookup
}

/** Of one name. No answer, an empty one, and one of forbidden addresses alone leave the last ones as they are. */
export class Addresses {
  readonly #ports: AddressPorts
  readonly #origin: Pick<Origin, 'hostname' | 'port'>
  readonly #intervalMs: number
  readonly #onChange: (addresses: readonly string[]) => void
  #known = ''
  #isOver = false
  #stop: () => void = () => undefined

  /** @param onChange is told the addresses, sorted, when they are others than before */
  constructor(
    ports: AddressPorts,
    origin: Pick<Origin, 'hostname' | 'port'>,
    intervalMs: number,
    onChange: (addresses: readonly string[]) => void,
  ) {
    this.#ports = ports
    this.#origin = origin
    this.#intervalMs = intervalMs
    this.#onChange = onChange
  }

  /** Asks now, and again and again. @param known those that are in use already */
  start(known: readonly string[]): void {
    this.#known = known.join()
    this.#ask()
  }

  stop(): void {
    this.#isOver = true
    this.#stop()
  }

  readonly #ask = (): void => {
    const { clock, lookup } = this.#ports
    const { hostname, port } = this.#origin
    lookup(hostname, { all: true }, (error, found) => {
      if (this.#isOver) return
      this.#stop = clock.after(this.#intervalMs, this.#ask)
      const allowed = (error ? [] : found).filter(
        ({ address }) => refuseAddress(address, port, undefined) === undefined,
      )
      const { family } = allowed[0] ?? {}
      const addresses = allowed.flatMap((one) => (one.family === family ? one.address : [])).sort()
      const known = addresses.join()
      if (addresses.length === 0 || known === this.#known) return
      this.#known = known
      this.#onChange(addresses)
    })
  }
}
