/** How many logins a process has seen, by method and result, for metrics; whose they were is not kept. */

/** What became of a login; `limited`: it was refused untried, because too many had failed. */
export type LoginResult = 'ok' | 'refused' | 'limited'

/** The logins of one method and result. */
export interface LoginCount {
  readonly authmethod: string
  readonly result: LoginResult
  count: number
}

/** One for each process. */
export class LoginCounts {
  readonly #counts = new Map<string, LoginCount>()

  /** Counts a login. @param authmethod a name of the gateway, never a text of a client */
  add(authmethod: string, result: LoginResult): void {
    const key = `${result} ${authmethod}`
    const known = this.#counts.get(key)
    if (known) known.count += 1
    else this.#counts.set(key, { authmethod, result, count: 1 })
  }

  /** All that are not 0. */
  get all(): readonly LoginCount[] {
    return [...this.#counts.values()]
  }
}
