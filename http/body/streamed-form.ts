/** A body of multipart/form-data whose file is passed on as it arrives: its fields come first, and nothing is behind the file. */
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { StreamedForm } from '#component/gateway/exchange.ts'
import type { MultipartLimits } from '#component/request.ts'
import { unknownType } from '#component/syntax/media-type.ts'
import { contentOfParts, put, slice } from './multipart.ts'
import { MultipartReader, type PartListener, readBoundary } from './multipart-reader.ts'
import { malformed, type PartHead } from './part-head.ts'
import { PartLimits } from './part-limits.ts'

/** Keeps the fields, and the bytes of the file that nobody has taken yet. */
class Arriving implements PartListener {
  readonly fields: Record<string, string[]> = Object.create(null)
  file: PartHead | undefined
  /** Of the file. */
  pieces: Uint8Array[] = []
  readonly #limits: PartLimits
  readonly #hold: (bytes: number) => void
  #name = ''
  #field: Uint8Array[] = []

  constructor(limits: MultipartLimits, hold: (bytes: number) => void) {
    this.#limits = new PartLimits(limits)
    this.#hold = hold
  }

  begin(head: PartHead): void {
    if (this.file) throw malformed('a part is behind its file: fields come before it')
    this.#limits.begin(head)
    if (head.filename !== undefined) this.file = head
    this.#name = head.name
    this.#field = []
  }

  data(piece: Uint8Array): void {
    this.#limits.add(piece.length)
    if (this.file) this.pieces.push(piece)
    else {
      this.#hold(piece.length)
      // the bytes that have come are used again
      this.#field.push(Uint8Array.from(piece))
    }
  }

  end(): void {
    if (this.file) return
    const text = Buffer.concat(this.#field)
    if (!isUtf8(text)) throw malformed('a field is not valid UTF-8')
    put(this.fields, this.#name, text.toString())
  }
}

/**
 * Reads a form up to its file.
 * @param body as it arrives
 * @param length of it, as declared; bytes
 * @param hold counts the bytes that are kept; throws a ServiceError when they are too many
 * @returns once the file has begun. Its stream errors with a ServiceError, 400 where anything is behind it
 * @throws ServiceError 400, 408, 413, 415, 503
 */
export async function readStreamedForm(
  contentType: string,
  body: Readable,
  length: number | undefined,
  limits: MultipartLimits,
  hold: (bytes: number) => void,
): Promise<StreamedForm> {
  const parts = new Arriving(limits, hold)
  const reader = new MultipartReader(readBoundary(contentType), parts)
  const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  /** Reads on; false: that was all. */
  const read = async (): Promise<boolean> => {
    const { value, done } = await pieces.next()
    if (done) {
      reader.end()
      return false
    }
    for (let at = 0; at < value.length; at += slice) reader.write(value.subarray(at, at + slice))
    return true
  }
  let isMore = true
  while (isMore && parts.file === undefined) isMore = await read()

  async function* content(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const taken = parts.pieces
      parts.pieces = []
      yield* taken
      if (!isMore) return
      isMore = await read()
    }
  }
  const { fields, file } = parts
  const bytes = length ?? 0
  if (file === undefined) return { content: contentOfParts(fields, {}, bytes), file }
  const { name, filename = '', contentType: content_type = unknownType } = file
  const told = { filename, content_type }
  const stream = Readable.from(content(), { objectMode: false, highWaterMark: slice })
  stream.once('close', () => body.destroy())
  return { content: contentOfParts(fields, { [name]: [told] }, bytes), file: stream }
}
