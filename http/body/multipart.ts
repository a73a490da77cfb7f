/** A body of multipart/form-data that is in memory: its fields as texts, its files as bytes. */
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Content } from '#component/gateway/exchange.ts'
import type { MultipartLimits, UploadedFile } from '#component/request.ts'
import { unknownType } from '#component/syntax/media-type.ts'
import { MultipartReader, type PartListener, readBoundary } from './multipart-reader.ts'
import { malformed, type PartHead } from './part-head.ts'
import { PartLimits } from './part-limits.ts'

/** Bytes that are searched at once: where all of them nearly are delimiters, that takes a millisecond. */
export const slice = 16_384
/** Bytes after which other requests have their turn. */
const mostOfTurn = 16 * slice

/** The parts of a body by their names; each name has its values in order. */
class Parts implements PartListener {
  readonly fields: Record<string, string[]> = Object.create(null)
  readonly files: Record<string, UploadedFile[]> = Object.create(null)
  readonly #body: Uint8Array
  readonly #limits: PartLimits
  #head: PartHead = { name: '', filename: undefined, contentType: undefined }
  /** Where the content of the part begins. */
  #from = 0

  constructor(body: Uint8Array, limits: MultipartLimits) {
    this.#body = body
    this.#limits = new PartLimits(limits)
  }

  begin(head: PartHead): void {
    this.#head = head
    this.#limits.begin(head)
  }

  data({ length }: Uint8Array, at: number): void {
    if (this.#limits.size === 0) this.#from = at
    this.#limits.add(length)
  }

  end(): void {
    const { name, filename, contentType = unknownType } = this.#head
    const { size } = this.#limits
    const { buffer, byteOffset } = this.#body
    // no byte is copied: the pieces of a content lie behind each other
    const content = new Uint8Array(buffer, byteOffset + this.#from, size)
    if (filename === undefined) {
      if (!isUtf8(content)) throw malformed('a field is not valid UTF-8')
      put(this.fields, name, Buffer.from(content).toString())
    } else if (filename !== '' || size > 0) {
      // browsers send an empty file without a name for an input that was left empty
      put(this.files, name, { filename, content_type: contentType, size, content })
    }
  }
}

/** Adds an item to the list of its name. */
export function put<T>(lists: Record<string, T[]>, name: string, item: T): void {
  const list = lists[name]
  if (list) list.push(item)
  else lists[name] = [item]
}

const lastOf = <T>(lists: Readonly<Record<string, readonly T[]>>): Record<string, T> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.at(-1) as T]))

/** The content of a form. @param bytes of its body */
export const contentOfParts = (
  fields: Readonly<Record<string, readonly string[]>>,
  files: Readonly<Record<string, readonly UploadedFile[]>>,
  bytes: number,
): Content => ({
  body: lastOf(fields),
  body_length: bytes,
  lists: () => fields,
  files: { last: lastOf(files), lists: files },
})

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
  return contentOfParts(parts.fields, parts.files, body.length)
}
