/** What each message of this process tells of it. */
import { randomUUID } from 'node:crypto'
import type { Pace } from './pace.ts'
import type { Peers } from './peers.ts'
import type { Heartbeat } from './sync-messages.ts'
import type { SyncPorts } from './sync-ports.ts'

/** Of one start. */
export class OwnState {
  readonly boot = randomUUID()
  readonly #ports: Pick<SyncPorts, 'clock' | 'node' | 'program' | 'replica' | 'workers'>
  readonly #pace: Pick<Pace, 'everyMs'>
  #seq = 0

  constructor(ports: SyncPorts, pace: Pick<Pace, 'everyMs'>) {
    this.#ports = ports
    this.#pace = pace
  }

  /** The process that sends the heartbeats of this gateway. */
  get #speaker(): string {
    const { node, workers } = this.#ports
    return workers?.[0] ?? node
  }

  /** Whether this process sends the heartbeats of its gateway. */
  get isSpeaker(): boolean {
    return this.#speaker === this.#ports.node
  }

  /** Whether the others hear of this gateway: where the process that sends its heartbeats is silent, they do not. */
  areHeartbeatsSent(peers: Pick<Peers, 'get'>): boolean {
    return this.isSpeaker || peers.get(this.#speaker) !== undefined
  }

  /** For the next message. */
  next(leaving: boolean): Heartbeat {
    const { clock, node, program, replica, workers } = this.#ports
    this.#seq++
    return {
      ...{ node, boot: this.boot, seq: this.#seq, now: clock.now() },
      ...{ digest: replica.digest(), leaving, every: this.#pace.everyMs },
      ...(!this.isSpeaker && { speaker: this.#speaker }),
      ...(workers && this.isSpeaker && { workers }),
      ...program,
    }
  }
}
