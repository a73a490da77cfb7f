/** A body of multipart/form-data that is in memory: its fields as texts, its files as bytes. */
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '#component/errors.ts'
import type { Content } from '#component/gateway/exchange.ts'
import type { MultipartLimits, UploadedFile } from '#component/request.ts'
import { covers, essenceOf, unknownType } from '#component/syntax/media-type.ts'
import { MultipartReader, type PartListener, readBoundary } from './multipart-reader.ts'
import { malformed, type PartHead } from './part-head.ts'

/** Bytes that are searched at once: where all of them nearly are delimiters, that takes a millisecond. */
const slice = 16_384
/** Bytes after which other requests have their turn. */
const mostOfTurn = 16 * slice

const tooLarge = (problem: string): ServiceError =>
  new ServiceError('service.error.payload_too_large', problem)

/** The parts of a body by their names; each name has its values in order. */
class Parts implements PartListener {
  readonly fields: Record<string, string[]> = Object.create(null)
  readonly files: Record<string, UploadedFile[]> = Object.create(null)
  readonly #body: Uint8Array
  readonly #limits: MultipartLimits
  #fields = 0
  #files = 0
  #head: PartHead = { name: '', filename: undefined, contentType: undefined }
  /** Where the content of the part begins, and its bytes. */
  #from = 0
  #size = 0

  constructor(body: Uint8Array, limits: MultipartLimits) {
    this.#body = body
    this.#limits = limits
  }

  begin(head: PartHead): void {
    this.#head = head
    this.#size = 0
    const { fields, files, types } = this.#limits
    if (head.filename === undefined) {
      if (++this.#fields > fields) throw tooLarge(`expected at most ${fields} fields`)
      return
    }
    if (++this.#files > files) throw tooLarge(`expected at most ${files} files`)
    if (types === undefined || head.filename === '') return
    const essence = essenceOf(head.contentType ?? unknownType)
    if (types.some((range) => covers(essenceOf(range), essence))) return
    const message = `expected files of type ${types.join(' or ')}`
    throw new ServiceError('service.error.unsupported_media_type', message)
  }

  data({ length }: Uint8Array, at: number): void {
    if (this.#size === 0) this.#from = at
    this.#size += length
    const { field_max_bytes, file_max_bytes } = this.#limits
    const isField = this.#head.filename === undefined
    const most = isField ? field_max_bytes : file_max_bytes
    if (this.#size <= most) return
    throw tooLarge(`expected a ${isField ? 'field' : 'file'} of at most ${most} bytes`)
  }

  end(): void {
    const { name, filename, contentType = unknownType } = this.#head
    if (name === '__proto__') throw malformed('a part has the name __proto__')
    const { buffer, byteOffset } = this.#body
    // no byte is copied: the pieces of a content lie behind each other
    const content = new Uint8Array(buffer, byteOffset + this.#from, this.#size)
    if (filename === undefined) {
      if (!isUtf8(content)) throw malformed('a field is not valid UTF-8')
      put(this.fields, name, Buffer.from(content).toString())
    } else if (filename !== '' || this.#size > 0) {
      // browsers send an empty file without a name for an input that was left empty
      put(this.files, name, { filename, content_type: contentType, size: this.#size, content })
    }
  }
}

function put<T>(lists: Record<string, T[]>, name: string, item: T): void {
  const list = lists[name]
  if (list) list.push(item)
  else lists[name] = [item]
}

const lastOf = <T>(lists: Readonly<Record<string, readonly T[]>>): Record<string, T> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.at(-1) as T]))

/**
 * Reads a body in slices, between which other requests have their turn.
 * @throws ServiceError 400, 413, 415
 */
export async function readMultipart(
  contentType: string,
  body: Uint8Array,
  limits: MultipartLimits,
): Promise<Content> {
  const parts = new Parts(body, limits)
  const reader = new MultipartReader(readBoundary(contentType), parts)
  for (let at = 0; at < body.length; at += slice) {
    if (at > 0 && at % mostOfTurn === 0) await nextTurn()
    reader.write(body.subarray(at, at + slice))
  }
  reader.end()
  const { fields, files } = parts
  return {
    body: lastOf(fields),
    body_length: body.length,
    lists: () => fields,
    files: { last: lastOf(files), lists: files },
  }
}
