/** Large bodies are decoded one in a turn of the event loop, so that other requests are served between them. */

/** Bytes. */
const large = 262_144

/** Whether a body of this size waits for {@link decodingTurn}; smaller ones are decoded at once. */
export const isLarge = (bytes: number): boolean => bytes >= large

let last: Promise<unknown> = Promise.resolve()

/** Resolves when the next large body may be decoded. */
export function decodingTurn(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
