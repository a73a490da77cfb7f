/** Has routers judge again whether open streams may have their topics, after changes of realms: at most once a second. */
import type { Clock } from '#component/clock.ts'
import type { Streams } from '#component/stream/hub.ts'
import type { YieldTurn } from '#component/yielding.ts'

/** The dependencies of {@link Regrants}. */
export interface RegrantsPorts {
  readonly streams: Pick<Streams, 'regrant'>
  readonly clock: Pick<Clock, 'after'>
  readonly yieldTurn: YieldTurn
}

/** Milliseconds from the end of a round until the next one: whoever edits many users changes a realm many times. */
const gap = 1_000

/** The realms that have changed and are not judged yet. */
export class Regrants {
  readonly #ports: RegrantsPorts
  #changed = new Set<string>()
  #isBusy = false

  constructor(ports: RegrantsPorts) {
    this.#ports = ports
  }

  /** Begins a round for these realms, now or soon. */
  add(realm_uris: readonly string[]): void {
    for (const uri of realm_uris) this.#changed.add(uri)
    if (!this.#isBusy) void this.#run()
  }

  async #run(): Promise<void> {
    const { streams, clock, yieldTurn } = this.#ports
    this.#isBusy = true
    const changed = this.#changed
    this.#changed = new Set()
    await streams.regrant(changed, yieldTurn)
    clock.after(gap, () => {
      this.#isBusy = false
      if (this.#changed.size > 0) void this.#run()
    })
  }
}
