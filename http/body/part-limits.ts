/** Holds the parts of a body of multipart/form-data to the limits of its operation. */
import { ServiceError } from '#component/errors.ts'
import type { MultipartLimits } from '#component/request.ts'
import { covers, essenceOf, unknownType } from '#component/syntax/media-type.ts'
import { malformed, type PartHead } from './part-head.ts'

const tooLarge = (problem: string): ServiceError =>
  new ServiceError('service.error.payload_too_large', problem)

/** Counts the parts of one body, and the bytes of the one that has begun. */
export class PartLimits {
  readonly #limits: MultipartLimits
  #fields = 0
  #files = 0
  #isField = true
  /** Bytes of the part so far. */
  size = 0

  constructor(limits: MultipartLimits) {
    this.#limits = limits
  }

  /** A part begins. @throws ServiceError 400 for its name, 413 where there are too many, 415 for the type of a file */
  begin({ name, filename, contentType }: PartHead): void {
    if (name === '__proto__') throw malformed('a part has the name __proto__')
    this.size = 0
    this.#isField = filename === undefined
    const { fields, files, types } = this.#limits
    if (this.#isField) {
      if (++this.#fields > fields) throw tooLarge(`expected at most ${fields} fields`)
      return
    }
    if (++this.#files > files) throw tooLarge(`expected at most ${files} files`)
    // browsers send an empty file without a name for an input that was left empty
    if (types === undefined || filename === '') return
    const essence = essenceOf(contentType ?? unknownType)
    if (types.some((range) => covers(essenceOf(range), essence))) return
    const message = `expected files of type ${types.join(' or ')}`
    throw new ServiceError('service.error.unsupported_media_type', message)
  }

  /** The part goes on by so many bytes. @throws ServiceError 413 */
  add(bytes: number): void {
    this.size += bytes
    const { field_max_bytes, file_max_bytes } = this.#limits
    const most = this.#isField ? field_max_bytes : file_max_bytes
    if (this.size <= most) return
    throw tooLarge(`expected a ${this.#isField ? 'field' : 'file'} of at most ${most} bytes`)
  }
}
