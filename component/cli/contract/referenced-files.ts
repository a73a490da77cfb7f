/** The files that an OpenAPI document refers to, put into it: `models/a.yml#/b` becomes `#/x-files/models~1a.yml/b`. */
import { realpathSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { CommandError, exitCode } from '#component/cli/command.ts'
import { readSource } from '#component/cli/source-file.ts'
import { pointer } from '#component/codec/json.ts'
import type { ReadRules } from '#component/codec/limits.ts'
import type { Issue } from '#component/errors.ts'
import { filesKey } from '#component/openapi/import/source.ts'
import { isMap, type JsonMap, setOwn } from '#component/syntax/values.ts'

const mostFiles = 5_000
const mostBytes = 64 * 1024 * 1024

const isUrl = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text)

/** Reads files below one folder, each once, and writes their references anew. */
class Bundle {
  /** By the path below the folder. */
  readonly files: Record<string, unknown> = {}
  /** Why references stay as they are. */
  readonly losses: Issue[] = []
  readonly #folder: string
  readonly #main: string
  readonly #rules: ReadRules
  #count = 0
  #bytes = 0

  constructor(main: string, rules: ReadRules) {
    this.#main = realpathSync(main)
    this.#folder = dirname(this.#main)
    this.#rules = rules
  }

  /** Writes the references of the document that is imported. */
  write(document: unknown): void {
    this.#write(document, this.#main, '', '')
  }

  /**
   * @param file where the value stands
   * @param base what stands before the pointers of the file
   * @param at JSON Pointer of the value in the whole
   */
  #write(value: unknown, file: string, base: string, at: string): void {
    const open: (readonly [unknown, string])[] = [[value, at]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [found, place] = next
      if (typeof found !== 'object' || found === null) continue
      const { $ref } = found as JsonMap
      if (typeof $ref === 'string') {
        const written = this.#reference($ref, file, base, place)
        if (written !== undefined) setOwn(found as Record<string, unknown>, '$ref', written)
      }
      const { discriminator } = found as JsonMap
      const { mapping } = isMap(discriminator) ? discriminator : {}
      for (const [key, to] of Object.entries(isMap(mapping) ? mapping : {})) {
        // a mapping may have names of schemas, too
        const isReference = typeof to === 'string' && /[#/]|\.(?:ya?ml|json)$/.test(to)
        const written = isReference ? this.#reference(to, file, base, place) : undefined
        if (written !== undefined) setOwn(mapping as Record<string, unknown>, key, written)
      }
      for (const [key, member] of Object.entries(found)) open.push([member, pointer(place, key)])
    }
  }

  /** The reference within the whole; undefined: it stays. */
  #reference($ref: string, file: string, base: string, at: string): string | undefined {
    if ($ref.startsWith('#')) return base === '' ? undefined : `#${base}${$ref.slice(1)}`
    if (isUrl($ref)) return undefined
    const hash = $ref.indexOf('#')
    const name = hash < 0 ? $ref : $ref.slice(0, hash)
    const below = hash < 0 ? '' : $ref.slice(hash + 1)
    const place = this.#placeOf(resolve(dirname(file), decodeURI(name)))
    if (place === undefined) {
      const message = 'the reference leads to no file below the folder of the document'
      this.losses.push({ path: pointer(at, '$ref'), message })
      return undefined
    }
    return `#${place}${below}`
  }

  /** What stands before the pointers of a file, which is read where it is not; undefined: it may not be read. */
  #placeOf(path: string): string | undefined {
    let real: string
    try {
      real = realpathSync(path)
    } catch {
      return undefined
    }
    if (real === this.#main) return ''
    if (!real.startsWith(this.#folder + sep)) return undefined
    const key = relative(this.#folder, real).split(sep).join('/')
    const place = pointer('', filesKey, key)
    if (Object.hasOwn(this.files, key)) return place
    this.#admit(real)
    const { document } = readSource(real, this.#rules)
    setOwn(this.files, key, document)
    this.#write(document, real, place, place)
    return place
  }

  #admit(real: string): void {
    this.#count += 1
    this.#bytes += statSync(real).size
    if (this.#count <= mostFiles && this.#bytes <= mostBytes) return
    const message = `the document refers to more than ${mostFiles} files, or to more than ${mostBytes} bytes in them`
    throw new CommandError(exitCode.data, message)
  }
}

/**
 * Puts the files into the document.
 * @param file of the document
 * @returns which references lead to no file that may be read
 * @throws CommandError for a file that is neither JSON nor YAML, and for too many
 */
export function withReferencedFiles(
  document: JsonMap,
  file: string,
  rules: ReadRules,
): readonly Issue[] {
  const bundle = new Bundle(file, rules)
  bundle.write(document)
  if (Object.keys(bundle.files).length > 0)
    setOwn(document as Record<string, unknown>, filesKey, bundle.files)
  return bundle.losses
}
