/** CALL.Options: the timeout that the router keeps, and the details that a callee receives. */
import type { Options } from './messages.ts'
import type { Session } from './session.ts'

/** The longest that a timer of Node can wait, in milliseconds. */
export const maxTimeoutMs = 2 ** 31 - 1

/** WAMP: Call Timeouts. Milliseconds, 0 for none; undefined when the option is no such number. */
export function timeoutOf({ timeout = 0 }: Options): number | undefined {
  return typeof timeout === 'number' && timeout >= 0 && timeout <= maxTimeoutMs
    ? timeout
    : undefined
}

/** The properties of the callee and its registration that INVOCATION.Details depend on. */
interface CalleeNeeds {
  /** The name that was called, where the callee has registered a pattern. */
  readonly procedure: string | undefined
  /** The callee always sees the caller, with all its roles: `_caller_authroles`. */
  readonly isSeen: boolean
  /** The callee ends calls after their timeout itself. */
  readonly timesItself: boolean
}

/** INVOCATION.Details. WAMP: Caller Identification, Pattern-based Registrations, Progressive Call Results, Call Timeouts. */
export function invocationDetails(
  caller: Session,
  options: Options,
  { procedure, isSeen, timesItself }: CalleeNeeds,
): Options {
  const details: Record<string, unknown> = {}
  if (procedure !== undefined) details.procedure = procedure
  if (options.receive_progress === true) details.receive_progress = true
  if (timesItself && options.timeout !== undefined) details.timeout = options.timeout
  if (options.disclose_me === true || isSeen) {
    details.caller = caller.id
    details.caller_authid = caller.authid
    details.caller_authrole = caller.authrole
  }
  if (isSeen) details._caller_authroles = caller.authroles
  return details
}
