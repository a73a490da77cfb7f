/** The media types of streams, the names of events on them, and how a client says where it was: what a document may name, and what the gateway keeps for itself. */

/** The media types of streams, the preferred one first. */
export const streamTypes = ['text/event-stream', 'application/x-ndjson'] as const
export type StreamType = (typeof streamTypes)[number]

/** Whether a media type is that of a stream. */
export const isStreamType = (type: string | undefined): type is StreamType =>
  streamTypes.some((known) => known === type)

/** The query parameters by which clients that cannot send header fields come back: those of EventSource polyfills, and of Mercure. */
const idParameters = ['lastEventId', 'lastEventID'] as const

/**
 * The id of the event that a client has seen last, when it comes back to a stream: the field (HTML Standard: Server-sent events), and
 * where that is absent the query parameter; empty for a client that has seen none.
 */
export function lastEventIdOf(
  headers: Readonly<Record<string, string | undefined>>,
  query: Readonly<Record<string, unknown>>,
): string {
  const { 'last-event-id': field = '' } = headers
  if (field !== '') return field
  const found = idParameters.map((name) => (Object.hasOwn(query, name) ? query[name] : ''))
  return String(found.find((id) => typeof id === 'string' && id !== '') ?? '')
}

/** Names of the events that the gateway makes itself. */
const ownNames = ['gap', 'end', 'error', 'result', 'snapshot']

/** Characters of the longest name of an event. */
const maxName = 255

/** Why a text is no name of an event (HTML Standard: Server-sent events, `event`); undefined when it is one. `""`: no name. */
export function eventNameProblem(name: string): string | undefined {
  if (name.length > maxName)
    return `it has ${name.length} characters, at most ${maxName} are allowed`
  if (/[\r\n\0]/.test(name)) return 'it holds a line break or NUL'
  if (!name.isWellFormed()) return 'it is not valid Unicode'
  return ownNames.includes(name)
    ? `the names ${ownNames.join(', ')} are those of the gateway's own events`
    : undefined
}
