/** CALL.Options: what they ask of the router, and what of them a callee is told. */
import type { Options } from './messages.ts'
import type { Registration, Session } from './session.ts'

/** The longest that a timer of Node can wait, in milliseconds. */
export const maxTimeoutMs = 2 ** 31 - 1

/** WAMP: Call Timeouts. Milliseconds, 0 for none; undefined when the option is no such number. */
export function timeoutOf({ timeout = 0 }: Options): number | undefined {
  return typeof timeout === 'number' && timeout >= 0 && timeout <= maxTimeoutMs
    ? timeout
    : undefined
}

/**
 * INVOCATION.Details. WAMP: Caller Identification, Pattern-based Registrations, Progressive Call Results, Call Timeouts.
 * @param isSeen is the callee told who calls in any case? Then of all roles, too: `_caller_authroles`.
 */
export function invocationDetails(
  caller: Session,
  options: Options,
  procedure: string,
  { match }: Registration,
  isSeen: boolean,
): Options {
  const details: Record<string, unknown> = {}
  if (match !== 'exact') details.procedure = procedure
  if (options.receive_progress === true) details.receive_progress = true
  if (options.timeout !== undefined) details.timeout = options.timeout
  if (options.disclose_me === true || isSeen) {
    details.caller = caller.id
    details.caller_authid = caller.authid
    details.caller_authrole = caller.authrole
  }
  if (isSeen) details._caller_authroles = caller.authroles
  return details
}
