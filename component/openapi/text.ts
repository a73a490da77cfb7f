/** A description as the text of JSON or YAML, in steps: one for each path. */
import { Buffer } from 'node:buffer'
import { stringifyJson } from '#component/codec/json.ts'
import { yamlText } from '#component/codec/yaml-text.ts'
import { ServiceError } from '#component/errors.ts'
import type { Steps } from '#component/yielding.ts'
import type { OpenApi } from './options.ts'

/** The largest description that is served; bytes. */
export const maxDescription = 32 * 1024 * 1024

/** The media types of a description; YAML by RFC 9512. */
export const descriptionTypes = ['application/json', 'application/yaml'] as const
export type DescriptionType = (typeof descriptionTypes)[number]

/** @throws ServiceError `service.error.unavailable` for a text of more than 32 MiB */
export const textOf = (description: OpenApi, type: DescriptionType): Steps<Buffer> =>
  type === 'application/json' ? jsonOf(description) : yamlOf(description)

function* jsonOf(description: OpenApi): Steps<Buffer> {
  const text = new Chunks()
  let mark = '{'
  for (const [key, value] of Object.entries(description)) {
    if (key === 'paths') {
      text.add(`${mark}"paths":`)
      mark = '{'
      for (const [path, item] of Object.entries(description.paths)) {
        yield
        text.add(`${mark}${JSON.stringify(path)}:${stringifyJson(item)}`)
        mark = ','
      }
      text.add(mark === '{' ? '{}' : '}')
    } else text.add(`${mark}${JSON.stringify(key)}:${stringifyJson(value)}`)
    mark = ','
  }
  text.add('}')
  yield
  return text.toBuffer()
}

function* yamlOf(description: OpenApi): Steps<Buffer> {
  const text = new Chunks()
  for (const [key, value] of Object.entries(description)) {
    const paths = key === 'paths' ? Object.entries(description.paths) : []
    if (paths.length === 0) text.add(yamlText({ [key]: value }))
    else text.add('paths:\n')
    for (const [path, item] of paths) {
      yield
      const lines = yamlText({ paths: { [path]: item } })
      text.add(lines.slice(lines.indexOf('\n') + 1))
    }
  }
  yield
  return text.toBuffer()
}

/** Characters that are encoded at once. */
const chunkSize = 65_536

/** Text that is encoded as it comes, so that no step is long. */
class Chunks {
  readonly #encoded: Buffer[] = []
  #pending = ''
  #bytes = 0

  add(text: string): void {
    this.#pending += text
    if (this.#pending.length >= chunkSize) this.#encode()
  }

  #encode(): void {
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    this.#bytes += bytes.length
    if (this.#bytes > maxDescription) {
      throw new ServiceError(
        'service.error.unavailable',
        'the OpenAPI description is larger than 32 MiB',
      )
    }
    this.#encoded.push(bytes)
  }

  toBuffer(): Buffer {
    this.#encode()
    return Buffer.concat(this.#encoded)
  }
}
