/** Counts the procedures of documents that a call has gone through, so that a circle of them ends. */

/** Of CALL.Options and INVOCATION.Details: the embedded router passes it on. */
export const hopsName = '_hops'

/** At most this many procedures of documents call one another for one call. */
export const mostHops = 8

/** The number of gateways that have called before. @param details of an INVOCATION; a value that is no count is 0 */
export function hopsOf(details: Readonly<Record<string, unknown>> | undefined): number {
  const hops = details?.[hopsName]
  return typeof hops === 'number' && hops > 0 ? hops : 0
}
