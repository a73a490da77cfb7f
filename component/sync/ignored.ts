/** Messages that are not taken: counted, and logged so that nobody can fill the log. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { Seldom } from './seldom.ts'

/** What was ignored since the start. */
export class Ignored {
  #count = 0
  readonly #log: Pick<Log, 'warn'>
  readonly #seldom: Seldom

  constructor(clock: Pick<Clock, 'now'>, log: Pick<Log, 'warn'>) {
    this.#log = log
    this.#seldom = new Seldom(clock)
  }

  get count(): number {
    return this.#count
  }

  /**
   * @param sender the name of a node, or of the session of whoever it is
   * @param about topic or procedure
   */
  note(sender: string, about: string, reason: string): void {
    this.#count++
    if (!this.#seldom.isTime(sender)) return
    this.#log.warn({ sender, about, reason }, 'a message from the router is ignored')
  }
}
