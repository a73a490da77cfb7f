/** The weight of an element of a list that a client negotiates by (RFC 9110 §12.4.2). */

/** `q=0.5` among parameters; 1 when absent, undefined when invalid. */
export function weight(parameters: readonly string[]): number | undefined {
  for (const parameter of parameters) {
    const text = parameter.trim().toLowerCase()
    if (!text.startsWith('q=')) continue
    const q = Number(text.slice(2))
    return text.length > 2 && q >= 0 && q <= 1 ? q : undefined
  }
  return 1
}
