/** The secrets of one request, and whether a text shows one of them, in plain or encoded. */
import { decodeEscapes } from '#component/syntax/request-target.ts'

/** Shorter values are hidden under their names only: they occur in other texts by chance. */
const shortest = 6

/** Of more values with one beginning, the beginning alone counts, so that no request makes the search slow. */
const mostOfStart = 100

/** In longer texts, Base64 is looked for only as they are, not within another encoding. */
const longestBase64 = 65_536

/** Encodings within encodings that are undone. */
const mostRounds = 3

/** The values of fields that carry secrets beside public parts, as cookies do. */
const partsOf: Readonly<Record<string, (value: string) => string[]>> = {
  authorization: credentialParts,
  'proxy-authorization': credentialParts,
  cookie: (value) => value.split(';').map(valueOfPair),
  'set-cookie': (value) => [valueOfPair(value.split(';', 1)[0] ?? '')],
}

/** Without the scheme; of `Basic` (RFC 7617 §2) the password, too. */
function credentialParts(value: string): string[] {
  const space = value.trim().indexOf(' ')
  const credentials = value
    .trim()
    .slice(space + 1)
    .trim()
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const password = /^basic /i.test(value) && colon >= 0 ? [text, text.slice(colon + 1)] : []
  return [credentials, ...password]
}

function valueOfPair(pair: string): string {
  const value = pair.slice(pair.indexOf('=') + 1).trim()
  return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

/** Texts that a text may be the encoding of. @param round how many encodings have been undone */
function decodingsOf(text: string, round: number): string[] {
  const decoded = [text.replaceAll('+', ' '), ...percentDecoded(text), ...jsonDecoded(text)]
  if (round === 0 || text.length <= longestBase64) decoded.push(...base64Decoded(text))
  return decoded.filter((one) => one !== text)
}

/** Escapes are decoded one run at a time, so that a bad one does not hide the others. */
const percentDecoded = (text: string): string[] =>
  text.includes('%')
    ? [text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) => decodeEscapes(run) ?? run)]
    : []

const jsonDecoded = (text: string): string[] =>
  text.includes('\\')
    ? [
        text
          .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
            String.fromCharCode(Number.parseInt(code, 16)),
          )
          .replaceAll(/\\(["\\/])/g, '$1'),
      ]
    : []

/** A run may begin in the midst of other letters: all four alignments are read. */
function base64Decoded(text: string): string[] {
  const decoded: string[] = []
  for (const [run] of text.matchAll(/[\w+/-]{8,}/g)) {
    for (let at = 0; at < 4; at += 1) {
      decoded.push(Buffer.from(run.slice(at), 'base64').toString('utf8'))
    }
  }
  return decoded.length > 0 ? [decoded.join('\n')] : []
}

/** Filled first, then asked. */
export class SecretValues {
  /** By their first {@link shortest} characters. */
  readonly #byStart = new Map<string, string[]>()

  /** Adds a value, with everything below it. @param field the header field that it is of, in lower case */
  add(value: unknown, field = ''): void {
    if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      for (const member of Object.values(value)) this.add(member, field)
      return
    }
    const text = textOf(value)
    if (text === undefined) return
    this.#keep(text)
    for (const part of partsOf[field]?.(text) ?? []) this.#keep(part)
  }

  #keep(text: string): void {
    for (const one of [text, ...percentDecoded(text)]) {
      const plain = withoutCase(one.trim())
      if (plain.length < shortest) continue
      const start = plain.slice(0, shortest)
      const known = this.#byStart.get(start)
      if (known === undefined) this.#byStart.set(start, [plain])
      else if (known.length < mostOfStart && !known.includes(plain)) known.push(plain)
    }
  }

  /** Whether a value of no parts equals or contains a secret, letter case aside. */
  isShownIn(value: unknown): boolean {
    const text = textOf(value)
    if (text === undefined || text.length < shortest || this.#byStart.size === 0) return false
    let texts = [text]
    for (let round = 0; round < mostRounds && texts.length > 0; round += 1) {
      if (texts.some((one) => this.#isIn(one))) return true
      texts = texts.flatMap((one) => decodingsOf(one, round))
    }
    return false
  }

  #isIn(text: string): boolean {
    const plain = withoutCase(text)
    for (let at = 0; at + shortest <= plain.length; at += 1) {
      const known = this.#byStart.get(plain.slice(at, at + shortest))
      if (known === undefined) continue
      if (known.length >= mostOfStart) return true
      if (known.some((value) => plain.startsWith(value, at))) return true
    }
    return false
  }
}

/** Both ways, since some letters have a pair in one of them only. */
const withoutCase = (text: string): string => text.toUpperCase().toLowerCase()

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined
}
