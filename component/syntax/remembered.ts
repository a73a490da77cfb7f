/** Texts repeat, in documents and in requests: what was made of the last ones is kept. */

/** When more texts would be kept, all are forgotten. */
const most = 1000
/** Longer texts are not kept. */
const longest = 500

/**
 * The function, which makes nothing anew of a text that it has had lately.
 * @param make pure of all but the text; what fails, or is undefined, is not kept. `more` is for its errors
 */
export function remembered<T, M = void>(
  make: (text: string, more: M) => T,
): (text: string, more: M) => T {
  const known = new Map<string, T>()
  return (text, more) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text, more)
    if (made === undefined || text.length > longest) return made
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}
