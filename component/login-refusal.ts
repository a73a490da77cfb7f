/** Refused logins, for the log alone: clients get one vague answer, whatever the reason is. */
import type { Clock } from './clock.ts'
import { LogThrottle } from './limits/log-throttle.ts'
import type { Log } from './log.ts'
import type { LoginCounts } from './login-counts.ts'
import { networkOf } from './syntax/ip-address.ts'

/** One refused login; no member comes from the client. */
export interface LoginRefusal {
  /** Absent for a realm that does not exist. */
  readonly realm?: string | undefined
  readonly authmethod: string
  /** The user, if there is one of that name: what a client claims may be a password in the wrong field. */
  readonly authid?: string | undefined
  /** A lower-case sentence. */
  readonly reason: string
}

/** The cause of an error that refuses a login. */
export class RefusedLogin {
  readonly refusal: LoginRefusal

  constructor(refusal: LoginRefusal) {
    this.refusal = refusal
  }
}

/** The options of an error that refuses a login: what the log says of it, and what the client never sees. */
export const because = (refusal: LoginRefusal): { readonly cause: RefusedLogin } => ({
  cause: new RefusedLogin(refusal),
})

/** The refused login that an error stands for; undefined for other errors. */
export function refusalIn(error: unknown): LoginRefusal | undefined {
  let found = error
  while (found instanceof Error) found = found.cause
  return found instanceof RefusedLogin ? found.refusal : undefined
}

/** The reason of logins that are refused untried. */
export const tooManyFailed = 'too many failed logins'

/** Methods of which a client has offered several, as metrics call them. */
const severalMethods = 'several'

/** Lines of one network, which can cause any number of them. */
const linesOfNetwork = { lines: 10, intervalMs: 1_000 }

/** Makes the limit of a log on lines that clients cause at no cost: ten lines a second of each network; the others are counted. */
export const networkThrottle = (clock: Pick<Clock, 'now' | 'after'>, log: Pick<Log, 'info'>) =>
  new LogThrottle(clock, {
    ...linesOfNetwork,
    onLeftOut: (network, lines) => log.info({ network, lines }, 'lines left out'),
  })

/** Counts refused logins, and writes one line for each. */
export class LoginLog {
  readonly #log: Pick<Log, 'warn'>
  readonly #throttle: Pick<LogThrottle, 'admits'>
  readonly #counts: Pick<LoginCounts, 'add'> | undefined

  /** @param counts absent: nothing is counted */
  constructor(
    log: Pick<Log, 'warn'>,
    throttle: Pick<LogThrottle, 'admits'>,
    counts?: Pick<LoginCounts, 'add'>,
  ) {
    this.#log = log
    this.#throttle = throttle
    this.#counts = counts
  }

  /**
   * @param address IP address of the client
   * @param request what the log says of the request, if the login came with one
   */
  refused(refusal: LoginRefusal, address: string, request: object = { peer: address }): void {
    const { realm, authmethod, authid, reason } = refusal
    const method = authmethod.includes(', ') ? severalMethods : authmethod
    this.#counts?.add(method, reason === tooManyFailed ? 'limited' : 'refused')
    if (!this.#throttle.admits(networkOf(address))) return
    this.#log.warn({ ...request, realm, authmethod, authid, reason }, 'login refused')
  }
}
