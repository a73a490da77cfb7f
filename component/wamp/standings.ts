/** The registrations and subscriptions of one session that are repeated after each rejoin, until the router takes them. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { ignore } from '#component/wamp/channel/channel.ts'
import type { Connection } from './connection.ts'

/** A registration or subscription. */
export interface Standing {
  readonly uri: string
  tell(connection: Connection): Promise<unknown>
}

/** The parts of a session that its standings use. */
export interface StandingPorts {
  readonly realm_uri: string
  readonly clock: Clock
  readonly log: Log
  /** The connection of now, which may not be joined yet. */
  connection(): Connection | undefined
  /** Milliseconds until what failed is repeated. */
  pause(): number
}

/** Exists as long as its session. */
export class Standings {
  readonly #ports: StandingPorts
  #all: Standing[] = []

  constructor(ports: StandingPorts) {
    this.#ports = ports
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Registers or subscribes now, if joined, and after each later join. A request that the router refuses now is not kept. */
  async keep(standing: Standing): Promise<void> {
    const connection = this.#ports.connection()
    if (connection?.isJoined) {
      try {
        await standing.tell(connection)
      } catch (error) {
        // a lost connection is not a refusal
        if (connection.isJoined) throw error
      }
    }
    this.#all.push(standing)
    // a new connection may have joined without this one
    if (this.#ports.connection() !== connection) this.restore([standing]).catch(ignore)
  }

  /** Repeats none of them any more. */
  forget(): void {
    this.#all = []
  }

  /** Resolves after one try each; what failed is tried again as long as the connection lives. */
  async restore(some: readonly Standing[] = this.#all): Promise<void> {
    const connection = this.#ports.connection()
    if (!connection?.isJoined) return
    const failed: Standing[] = []
    await Promise.all(
      some.map((standing) =>
        standing.tell(connection).catch((error: unknown) => {
          // a session that the router has not missed yet may still hold the registration
          const { log, realm_uri: realm } = this.#ports
          log.warn({ err: error, realm }, 'the registration failed; trying again')
          failed.push(standing)
        }),
      ),
    )
    if (failed.length === 0 || !connection.isJoined) return
    this.#ports.clock.after(this.#ports.pause(), () => {
      // a connection that has joined since begins with all of them
      if (connection.isJoined) this.restore(failed).catch(ignore)
    })
  }
}
