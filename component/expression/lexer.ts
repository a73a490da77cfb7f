/** The text between `{{` and `}}` as tokens with their positions; one pass, no regular expressions. */
import { isWideSpace } from '#component/syntax/wamp-uri.ts'
import { Site } from './site.ts'

/** The kinds of tokens; punctuation is its own kind. */
export type TokenKind =
  | 'word'
  | 'quoted'
  | '{{'
  | '}}'
  | '|>'
  | '('
  | ')'
  | '['
  | ']'
  | ','
  | 'end of text'

const pairs: ReadonlySet<string> = new Set(['{{', '}}', '|>'])
const singles: ReadonlySet<string> = new Set(['(', ')', '[', ']', ','])

/** What to write in place of a character. */
const hints: Readonly<Record<string, string>> = {
  '"': "; texts are quoted '…'",
  '|': '; write |> before a function',
}

/** Characters that end a word. */
const delimiters: ReadonlySet<string> = new Set('|\'"(){}[],')

/** Whether the character is white space (Unicode White_Space, and the byte order mark). */
export function isBlank(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13)
  if (code < 0x85) return false
  return code === 0x85 || code === 0xa0 || isWideSpace(code)
}

/** Reads one token after another; its fields hold the current one. */
export class Lexer {
  readonly text: string
  /** JSON Pointer of the text, for errors. */
  readonly path: string
  kind: TokenKind = 'end of text'
  /** The text of a word or of a quoted text. */
  value = ''
  /** Offset of the current token. */
  start = 0
  /** Offset behind the current token. */
  end: number
  /** Offset behind the token before it. */
  endBefore: number

  /** @param start Offset where reading begins; call {@link next} for the first token. */
  constructor(text: string, path: string, start: number) {
    this.text = text
    this.path = path
    this.end = start
    this.endBefore = start
  }

  /** Moves to the next token. */
  next(): void {
    const { text } = this
    this.endBefore = this.end
    let offset = this.end
    while (offset < text.length && isBlank(text.charCodeAt(offset))) offset++
    this.start = offset
    if (offset >= text.length) {
      this.#take('end of text', 0)
      return
    }
    const pair = text.slice(offset, offset + 2)
    const single = pair[0] ?? ''
    if (pairs.has(pair)) this.#take(pair as TokenKind, 2)
    else if (singles.has(single)) this.#take(single as TokenKind, 1)
    else if (single === "'") this.#quoted()
    else if (delimiters.has(single)) this.#refuse(single)
    else this.#word()
  }

  /** The site of the current token. */
  get site(): Site {
    return new Site(this.text, this.path, this.start, this.end)
  }

  #take(kind: TokenKind, length: number): void {
    this.kind = kind
    this.end = this.start + length
  }

  #refuse(character: string): never {
    this.end = this.start + 1
    const hint = Object.hasOwn(hints, character) ? hints[character] : ''
    return this.site.fail(`unexpected ${character}${hint}`)
  }

  #word(): void {
    const { text } = this
    let end = this.start
    while (
      end < text.length &&
      !isBlank(text.charCodeAt(end)) &&
      !delimiters.has(text[end] as string)
    )
      end++
    this.kind = 'word'
    this.end = end
    this.value = text.slice(this.start, end)
  }

  /** `'…'`, in which `''` is one quote. */
  #quoted(): void {
    const { text } = this
    let value = ''
    let from = this.start + 1
    for (;;) {
      const quote = text.indexOf("'", from)
      if (quote < 0) {
        this.end = this.start + 1
        this.site.fail('the quoted text is not closed')
      }
      value += text.slice(from, quote)
      from = quote + 1
      if (text[from] !== "'") break
      value += "'"
      from++
    }
    this.kind = 'quoted'
    this.value = value
    this.end = from
  }
}
