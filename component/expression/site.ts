/** The position of an expression in a document, and the error that shows it with a caret. */
import { ExpressionError } from '#component/errors.ts'
import type { Node } from './nodes.ts'
import { nameOf, type Origin, originOf, type Source } from './origin.ts'

/** An error shows at most this many characters of an expression. */
const widest = 160

/** A part of the text of a template. */
export class Site {
  /** The whole text of the template. */
  readonly text: string
  /** JSON Pointer of the template in its document. */
  readonly path: string
  /** Offset of the first character, from 0. */
  readonly start: number
  /** Offset behind the last character. */
  readonly end: number
  /** The value that is used here: if it comes from the request, its failures are owed to the request. */
  readonly value: Node | Source | undefined

  constructor(text: string, path: string, start: number, end: number, value?: Node | Source) {
    this.text = text
    this.path = path
    this.start = start
    this.end = end
    this.value = value
  }

  /** Column of the first character, from 1. */
  get column(): number {
    return this.start + 1
  }

  /** Another part of the same text. */
  at(start: number, end: number, value?: Node): Site {
    return new Site(this.text, this.path, start, end, value)
  }

  /** The same position, where this value is used. */
  of(value: Node | Source | undefined): Site {
    return new Site(this.text, this.path, this.start, this.end, value)
  }

  /**
   * Throws an error at this position.
   * @param unfit the same for clients, whose request holds the unfit value; it follows the name of the value and shows
   *   nothing of the document
   */
  fail(sentence: string, unfit = `: ${sentence}`): never {
    const origin = this.blamed()
    throw new SiteError(this, sentence, origin && `${nameOf(origin)}${unfit}`)
  }

  /** The origin of what fails here. */
  protected blamed(): Origin | undefined {
    return originOf(this.value)
  }

  /** Throws an error that is the document's fault, whatever the value. */
  refuse(sentence: string): never {
    throw new SiteError(this, sentence)
  }

  /**
   * The line of the expression, with carets below the error. Text around an expression is not shown: clients may see this,
   * and the text may be a credential for an upstream.
   */
  show(): string {
    const lineStart = this.text.lastIndexOf('\n', this.start - 1) + 1
    const newline = this.text.indexOf('\n', this.start)
    const lineEnd = newline < 0 ? this.text.length : newline
    const [open, close] = this.#expression()
    const from = Math.max(lineStart, open, this.start - widest / 2)
    const to = Math.min(lineEnd, close, from + widest)
    const before = from > lineStart ? '…' : ''
    const after = to < lineEnd ? '…' : ''
    const line = this.text.slice(from, to).replaceAll('\t', ' ').replaceAll('\r', ' ')
    const width = Math.max(1, Math.min(this.end, to) - this.start)
    const indent = ' '.repeat(before.length + Math.max(0, this.start - from))
    return `${before}${line}${after}\n${indent}${'^'.repeat(width)}`
  }

  /** The offsets of the outermost expression around the error. */
  #expression(): readonly [start: number, end: number] {
    let [depth, open] = [0, this.start]
    for (let at = 0; at < this.text.length; at++) {
      if (this.text.startsWith('{{', at)) {
        if (depth === 0) open = at
        depth++
        at++
      } else if (depth > 0 && this.text.startsWith('}}', at)) {
        depth--
        at++
        if (depth === 0 && at >= this.start) return [open, at + 1]
      }
    }
    return [open, this.text.length]
  }
}

/** An ExpressionError with its position. Its message never contains data of a request. */
export class SiteError extends ExpressionError {
  readonly site: Site
  readonly sentence: string

  /** @param ofRequest the sentence for a client whose request is at fault */
  constructor(site: Site, sentence: string, ofRequest?: string) {
    const place = `(column ${site.column} of the expression at ${site.path || 'the root'})`
    const detail = `${sentence} ${place}\n${site.show()}`
    const isOfRequest = ofRequest !== undefined
    super(ofRequest ?? detail, { column: site.column, detail, isOfRequest })
    this.name = 'ExpressionError'
    this.site = site
    this.sentence = sentence
  }

  /** The message of an issue, which states the path itself. */
  get issueMessage(): string {
    return `${this.sentence} (column ${this.site.column})\n${this.site.show()}`
  }
}
