/** What may stand in the head of an HTTP response: a status (RFC 9110 §15). */

/** A status as a number or a text of one; undefined when it is neither, or outside 200–599. */
export function readStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && value.length === 3 ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
    ? status
    : undefined
}
