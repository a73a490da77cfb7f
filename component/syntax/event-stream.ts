/** The names of events on a stream: what a document may name, and the names that the gateway keeps for itself. */

/** What the gateway itself tells on a stream. */
const reservedEventNames = ['gap', 'end', 'error', 'result', 'snapshot'] as const

/** Characters of a name. */
const maxLength = 255

/** Why a text is no name of an event (HTML Standard: Server-sent events, `event`); undefined when it is one. `""`: no name. */
export function eventNameProblem(name: string): string | undefined {
  if (name.length > maxLength)
    return `it has ${name.length} characters, at most ${maxLength} are allowed`
  if (/[\r\n\0]/.test(name)) return 'it holds a line break or NUL'
  if (!name.isWellFormed()) return 'it is not valid Unicode'
  return reservedEventNames.some((reserved) => reserved === name)
    ? 'the gateway keeps this name for itself'
    : undefined
}
