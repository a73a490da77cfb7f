/** Whether another gateway has the name of this one: neither takes the messages of the other, so what one of them loads, the other one never serves. */
import type { Clock } from '#component/clock.ts'
import { silenceOf } from './peers.ts'
import type { Heartbeat } from './sync-messages.ts'

/** Starts that are remembered. */
const maxBoots = 1000

/** The dependencies of namesakes. */
interface NamesakePorts {
  readonly clock: Pick<Clock, 'now'>
  /** The name of this process, and the id of its start. */
  readonly node: string
  readonly boot: string
  /** The names of the processes of its gateway, the one that sends heartbeats first. */
  readonly workers?: readonly string[] | undefined
  /** Called when another gateway with the name is heard, and none was before. */
  readonly onTaken: () => void
}

/** Of one process. */
export class Namesakes {
  readonly #ports: NamesakePorts
  /** Messages from before are of an earlier start of this gateway. Milliseconds since the epoch, as the next one. */
  readonly #startedAt: number
  #takenUntil = Number.NEGATIVE_INFINITY
  /** Greatest number of a message, by the id of the start of its sender. */
  readonly #highest = new Map<string, number>()
  /** The start that has sent the last heartbeat of this gateway. */
  #speaking: string | undefined

  constructor(ports: NamesakePorts) {
    this.#ports = ports
    this.#startedAt = ports.clock.now()
  }

  /** Takes note of a message. @returns whether it is of another gateway that has the name of this one now */
  hear({ node, boot, seq, now, leaving, every }: Heartbeat): boolean {
    const { clock, node: own, boot: ownBoot, workers = [own], onTaken } = this.#ports
    const isOwn = node === own
    if ((!isOwn && node !== workers[0]) || boot === ownBoot || now < this.#startedAt) return false
    const highest = this.#highest.get(boot)
    // one that was kept and is sent again proves nothing
    if (highest !== undefined && seq <= highest) return false
    if (this.#highest.size >= maxBoots) this.#highest.clear()
    this.#highest.set(boot, seq)
    // the process that speaks for this one may have been started anew: an earlier start that speaks again is another gateway's
    const isOther = isOwn || (highest !== undefined && boot !== this.#speaking)
    this.#speaking = boot
    if (leaving) this.#takenUntil = Number.NEGATIVE_INFINITY
    if (leaving || !isOther) return false
    const wasTaken = this.isTaken
    this.#takenUntil = clock.now() + silenceOf({ everyMs: every })
    if (!wasTaken) onTaken()
    return true
  }

  /** Whether another gateway has said so, and has not been silent since. */
  get isTaken(): boolean {
    return this.#ports.clock.now() < this.#takenUntil
  }
}
