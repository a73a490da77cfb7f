/** The media types of streams, and the names of events on them: what a document may name, and what the gateway keeps for itself. */

/** The media types of streams, the preferred one first. */
export const streamTypes = ['text/event-stream', 'application/x-ndjson'] as const
export type StreamType = (typeof streamTypes)[number]

/** Whether a media type is that of a stream. */
export const isStreamType = (type: string | undefined): type is StreamType =>
  streamTypes.some((known) => known === type)

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
