/** Messages of the router that cannot be read as a whole: what takes their place, and what the log tells of them. */
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { failure } from './failure.ts'
import type { WampMessage } from './link.ts'
import { answers, code } from './messages.ts'
import type { WampError } from './session.ts'

/** The failure of a request or invocation whose message cannot be read. */
export const unreadable = (problem: string): WampError =>
  failure('wamp.error.invalid_payload', `a message of the router cannot be read: ${problem}`, true)

/** The ERROR in place of an answer, by its first fields; undefined for what is no answer, or does not tell to what. */
export function errorInPlaceOf(fields: WampMessage, problem: string): WampMessage | undefined {
  const isError = fields[0] === code.error
  const type = isError ? fields[1] : answers[Number(fields[0])]
  const id = fields[isError ? 2 : 1]
  if (type === undefined || id === undefined) return undefined
  const { error_uri, args, kwargs } = unreadable(problem)
  const uri = isError && typeof fields[4] === 'string' ? fields[4] : error_uri
  return [code.error, type, id, {}, uri, args, kwargs]
}

/** Tells of them: one line a minute about each procedure or topic. */
export class UnreadableLog {
  readonly #realm: string
  readonly #throttle: LogThrottle
  readonly #log: Log

  constructor(realm: string, clock: Clock, log: Log) {
    this.#realm = realm
    this.#throttle = new LogThrottle(clock, linePerMinute)
    this.#log = log
  }

  /** @param uri the procedure or topic; undefined where it is not known */
  tell(uri: string | undefined, problem: string): void {
    if (!this.#throttle.admits(uri ?? '')) return
    this.#log.warn({ realm: this.#realm, uri, problem }, 'a message of the router cannot be read')
  }
}
