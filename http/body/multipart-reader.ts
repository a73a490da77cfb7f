/** Splits a body of multipart/form-data into its parts as it arrives (RFC 2046 §5.1.1). The delimiters are found by multipasta. */
import { Buffer } from 'node:buffer'
import { make as search } from 'multipasta/Search'
import { malformed, type PartHead, readPartHead } from './part-head.ts'

/** What a reader finds, in order. Each may throw, which ends the reading. */
export interface PartListener {
  begin(head: PartHead): void
  /**
   * Some of the content of the part that has begun.
   * @param at where it stands in the body
   */
  data(piece: Uint8Array, at: number): void
  end(): void
}

/** Characters of the shortest boundary that is taken for a random one, as browsers and libraries make them (WHATWG HTML: 27 at least). */
const leastRandom = 27

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')

/** Bytes of the head of one part. */
const maxHead = 16_384

/** The characters of a boundary (RFC 2046 §5.1.1), of which there are at most 70. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/
const boundaryOf = /;[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]+))[ \t]*(?=;|$)/gi

/** The boundary that a Content-Type names. @throws ServiceError 400 where there is none, or more than one */
export function readBoundary(contentType: string): string {
  const [found, other] = [...contentType.matchAll(boundaryOf)]
  const boundary = found?.[1] ?? found?.[2] ?? ''
  if (other === undefined && boundaryForm.test(boundary)) return boundary
  throw malformed('the Content-Type has no boundary')
}

/** What a delimiter is followed by: the end of its line, or two dashes behind the last part. */
type Place = 'delimiter' | 'head' | 'content' | 'end'

/** Reads one body. */
export class MultipartReader {
  readonly #listener: PartListener
  readonly #search: ReturnType<typeof search>
  /** Counts boundaries wherever they stand: readers disagree about those that are no line of their own. undefined: it is no random text. */
  readonly #boundaries: ReturnType<typeof search> | undefined
  #bare = 0
  #place: Place = 'delimiter'
  /** How many delimiters there were before the bytes that are read. */
  #delimiters = 0
  /** How far the body is read, from its beginning. */
  #at = -lineEnd.length
  readonly #delimiter: string
  /** Bytes behind a delimiter, or of a head, that wait for more. */
  #pending: Buffer = Buffer.alloc(0)

  constructor(boundary: string, listener: PartListener) {
    this.#listener = listener
    this.#delimiter = `\r\n--${boundary}`
    const take = (delimiters: number, piece: Uint8Array) => this.#take(delimiters, piece)
    // the first delimiter has no end of a line before it
    this.#search = search(this.#delimiter, take)
    this.#search.write(lineEnd)
    if (boundary.length < leastRandom) return
    this.#boundaries = search(boundary, (count) => {
      this.#bare = count
    })
  }

  /** @throws ServiceError 400, and what the listener throws */
  write(bytes: Uint8Array): void {
    this.#search.write(bytes)
    this.#boundaries?.write(bytes)
  }

  /** There is no more. @throws ServiceError 400 where the last delimiter is missing */
  end(): void {
    this.#search.end()
    const tail = this.#pending
    const isWhole = this.#place === 'end' && (tail.length === 0 || tail.equals(lineEnd))
    this.#boundaries?.end()
    if (this.#boundaries && this.#bare !== this.#delimiters)
      throw malformed('its boundary stands within a part')
    if (!isWhole) throw malformed('its end is missing, or something is behind it')
  }

  #take(delimiters: number, piece: Uint8Array): void {
    if (delimiters === 0) throw malformed('something is before its first part')
    if (delimiters > this.#delimiters) this.#pass(delimiters)
    this.#at += piece.length
    if (this.#place === 'content') this.#listener.data(piece, this.#at - piece.length)
    else this.#gather(piece)
  }

  /** A delimiter was found. */
  #pass(delimiters: number): void {
    const isFirst = this.#delimiters === 0
    if (delimiters - this.#delimiters > 1 || (!isFirst && this.#place !== 'content')) {
      throw malformed('a part has no head')
    }
    if (!isFirst) this.#listener.end()
    this.#at += this.#delimiter.length
    this.#delimiters = delimiters
    this.#place = 'delimiter'
  }

  #gather(piece: Uint8Array): void {
    const before = this.#pending.length
    this.#pending = Buffer.concat([this.#pending, piece])
    if (this.#place === 'delimiter') this.#readDelimiter()
    if (this.#place === 'head') this.#readHead(before)
    if (this.#place === 'end' && this.#pending.length > lineEnd.length) {
      throw malformed('something is behind its end')
    }
  }

  #readDelimiter(): void {
    if (this.#pending.length < 2) return
    const mark = this.#pending.toString('latin1', 0, 2)
    if (mark !== '\r\n' && mark !== '--') throw malformed('a delimiter is not a line of its own')
    this.#place = mark === '--' ? 'end' : 'head'
    this.#pending = this.#pending.subarray(2)
  }

  /** @param from where the end of the head may begin at the earliest */
  #readHead(from: number): void {
    const at = this.#pending.indexOf(headEnd, Math.max(0, from - headEnd.length))
    const length = at < 0 ? this.#pending.length : at + headEnd.length
    if (length > maxHead) throw malformed('the head of a part is too large')
    if (at < 0) return
    const content = this.#pending.subarray(length)
    this.#listener.begin(readPartHead(this.#pending.subarray(0, length)))
    this.#pending = Buffer.alloc(0)
    this.#place = 'content'
    if (content.length > 0) this.#listener.data(content, this.#at - content.length)
  }
}
