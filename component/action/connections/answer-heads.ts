/** Finds the heads of answers in what a connection to an upstream receives, and takes 100 (Continue) out: undici ends a connection that brings one. */

/** What each head begins with that may be an interim answer; HTTP/1.0 has none (RFC 9110 §15.2). */
const begin = 'HTTP/1.1 '

/** The code of the digit that follows {@link begin} in each of them. */
const one = 49

/** The longest head of an answer; bytes. */
export const maxHeadBytes = 16_384

/** Whether the bytes are a part of {@link begin}, or begin with it. */
const beginsHead = (bytes: Buffer): boolean =>
  begin.startsWith(bytes.toString('latin1', 0, begin.length))

/** Where the first head ends; -1 when its end has not come. A line may end without CR (RFC 9112 §2.2). */
function endOfHead(bytes: Buffer): number {
  const [lines, bare] = [bytes.indexOf('\n\r\n'), bytes.indexOf('\n\n')]
  if (bare >= 0 && (lines < 0 || bare < lines)) return bare + 2
  return lines < 0 ? lines : lines + 3
}

/** The bytes that one connection receives: the answers to its requests, one after the other, each behind any number of 1xx. */
export class AnswerHeads {
  #isAwaited = true
  #maySwitch = false
  /** The beginning of a head. */
  #held: Buffer | undefined
  #isReused = false
  #hasAnswered = false
  #hasBytes = false

  /** Whether the connection had answered a request before the current one. */
  get isReused(): boolean {
    return this.#isReused
  }

  /** Whether any byte has come since the current request, those of a 1xx too. */
  get hasBytes(): boolean {
    return this.#hasBytes
  }

  /**
   * The next request: the answer to the one before it has come to its end.
   * @param maySwitch whether it asks for another protocol, to which all belongs that is behind a 101
   */
  next(maySwitch = false): void {
    this.#maySwitch = maySwitch
    this.#isAwaited = true
    this.#isReused = this.#hasAnswered
    this.#hasBytes = false
  }

  /**
   * Takes what has come.
   * @param chunk null: the end
   * @param pass takes what is to be parsed, and tells whether more is wanted
   */
  receive(chunk: Buffer | null, pass: (bytes: Buffer | null) => boolean): boolean {
    const held = this.#held
    if (chunk === null) {
      this.#held = undefined
      if (held) pass(held)
      return pass(null)
    }
    this.#hasBytes = true
    if (!this.#isAwaited) return pass(chunk)
    this.#held = undefined
    let bytes = held ? Buffer.concat([held, chunk]) : chunk
    let isWanted = true
    while (bytes.length > 0) {
      const isInterim = (bytes[begin.length] ?? one) === one && beginsHead(bytes)
      const end = isInterim ? endOfHead(bytes) : -1
      if (!isInterim || (end < 0 ? bytes.length : end) > maxHeadBytes) {
        this.#isAwaited = false
        this.#hasAnswered = true
        return pass(bytes)
      }
      if (end < 0) {
        this.#held = bytes
        break
      }
      const status = bytes.toString('latin1', begin.length, begin.length + 4)
      if (this.#maySwitch && /^101\D/.test(status)) {
        this.#isAwaited = false
        return pass(bytes)
      }
      if (!/^100\D/.test(status)) isWanted = pass(bytes.subarray(0, end))
      bytes = bytes.subarray(end)
    }
    return isWanted
  }
}
