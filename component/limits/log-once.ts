/** Lines of the log that are written once in the life of a process: what they tell stays as it is until somebody mends it. */
import type { Log } from '#component/log.ts'

/** Lines that are told apart; further ones are left out. */
const maxTold = 1_000

/** Writes each line once. */
export class LogOnce {
  readonly #log: Pick<Log, 'info'>
  readonly #told = new Set<string>()

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log
  }

  info(line: Readonly<Record<string, unknown>>, message: string): void {
    const key = JSON.stringify([line, message])
    if (this.#told.has(key) || this.#told.size >= maxTold) return
    this.#told.add(key)
    this.#log.info(line, message)
  }
}
