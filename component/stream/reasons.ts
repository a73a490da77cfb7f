/** Why streams end: what the client is told, and what the log and the metrics say. */

/** The reason in the log and the metrics. */
export type Reason =
  | 'client'
  | 'complete'
  | 'reloaded'
  | 'gone'
  | 'draining'
  | 'unauthorized'
  | 'refused'
  | 'slow'
  | 'stuck'

/** The reasons for which the gateway ends a stream in order. */
export type EndReason = Exclude<Reason, 'client' | 'slow' | 'stuck'>

/** The `code` that the client is told with the event `end`; where the router refuses, its error URI takes the place. */
export const endCodes: Readonly<Record<EndReason, string>> = {
  complete: 'complete',
  reloaded: 'reloaded',
  gone: 'gone',
  draining: 'draining',
  unauthorized: 'service.error.unauthorized',
  refused: 'wamp.error.not_authorized',
}
