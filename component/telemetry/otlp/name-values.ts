/** Lists of the form `name=value,name=value`, as the variables of OpenTelemetry have them (W3C Baggage without properties). */

/** @throws Error where the text is not of that form; its message begins with `from` and quotes nothing, because values may be secrets */
export function readNameValues(text: string, from: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const member of text.split(',')) {
    if (member.trim() === '') continue
    const [name = '', value] = member.split(/=(.*)/s).map((part) => part.trim())
    if (name === '' || value === undefined) throw malformed(from)
    values[name] = decoded(value, from)
  }
  return values
}

function decoded(text: string, from: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed(from)
  }
}

const malformed = (from: string): Error =>
  new Error(`${from}: must be name=value,name=value with percent-encoded values`)
