/** Documents as YAML 1.2 (core schema) or JSON: read with the rules of JSON, and the places of their values in the text. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
} from 'yaml'
import { ServiceError } from '#component/errors.ts'
import { isInteger64 } from '#component/syntax/integers.ts'
import { decodeUtf8, keysOfPointer, parseJson } from './json.ts'
import type { ReadRules } from './limits.ts'

/** Where a value stands in a text; lines and columns count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
  /** The whole line. */
  readonly text: string
}

const options = {
  version: '1.2',
  schema: 'core',
  intAsBigInt: true,
  merge: false,
  uniqueKeys: true,
  prettyErrors: false,
  // at 'silent' a second document would be ignored
  logLevel: 'error',
} as const

const refusal = (message: string, at?: Place): ServiceError => {
  const where = at ? ` at line ${at.line}, column ${at.column}` : ''
  return new ServiceError('service.error.bad_request', `${message}${where} of the YAML text`)
}

/**
 * Decodes YAML to the values that the same document has as JSON: integers keep every digit, keys are texts as they are written.
 * Tags, aliases, merge keys, directives and several documents in one text are refused.
 * @throws ServiceError 400 with line and column, or whatever {@link parseJson} throws
 */
export function parseYaml(source: string | Uint8Array, rules: ReadRules): unknown {
  const text = typeof source === 'string' ? source : decodeUtf8(source, 'YAML')
  const document = read(text)
  const [error] = document.errors
  if (error) throw refusal(meaningOf(error.message), placeOf(text, error.pos[0]))
  if (document.directives?.yaml.explicit) throw refusal('expected no directives')
  const writer = new JsonWriter(rules, (message, node) =>
    refusal(message, node.range ? placeOf(text, node.range[0]) : undefined),
  )
  try {
    return parseJson(writer.json(document.contents), rules)
  } catch (cause) {
    // the position is one in the JSON text, which the author does not see
    if (!(cause instanceof ServiceError) || !cause.message.endsWith('JSON text')) throw cause
    throw new ServiceError(cause.uri, cause.message.replace(/ at position .*/, ''), { cause })
  }
}

const read = (text: string, lineCounter?: LineCounter): Document.Parsed<ParsedNode> =>
  parseDocument(text, { ...options, ...(lineCounter && { lineCounter }) })

/** The library's message; for an exhausted stack, too, and for what it answers with a hint to its own API, ours. */
function meaningOf(message: string): string {
  if (message.includes('call stack')) return 'expected less nesting'
  return message.startsWith('Source contains multiple') ? 'expected one document' : message
}

/** Writes the tree of a document as JSON text, which the reader of JSON judges. */
class JsonWriter {
  readonly #rules: ReadRules
  readonly #refusal: (message: string, node: Node) => ServiceError

  constructor(rules: ReadRules, refusal: (message: string, node: Node) => ServiceError) {
    this.#rules = rules
    this.#refusal = refusal
  }

  json(node: unknown): string {
    if (node === null || node === undefined) return 'null'
    if (isAlias(node)) throw this.#refusal('expected no alias', node)
    if (isScalar(node)) return this.#scalar(node)
    if (isSeq(node)) {
      this.#checkTag(node)
      return `[${node.items.map((item) => this.json(item)).join(',')}]`
    }
    if (!isMap(node)) throw new TypeError('not a node of YAML')
    this.#checkTag(node)
    return `{${node.items.map(({ key, value }) => `${this.#key(key)}:${this.json(value)}`).join(',')}}`
  }

  #key(key: unknown): string {
    if (!isScalar(key)) throw this.#refusal('expected a text as key', key as Node)
    this.#checkTag(key)
    if (key.value === '<<') throw this.#refusal('expected no merge key', key)
    // `1.0:` is a version, not the number 1
    return JSON.stringify(typeof key.value === 'string' ? key.value : (key.source ?? ''))
  }

  #scalar(node: Scalar): string {
    this.#checkTag(node)
    const { value } = node
    if (typeof value === 'bigint') {
      if (!isInteger64(value) && !this.#rules.allowGreatIntegers)
        throw this.#refusal('an integer of more than 64 bits', node)
      return String(value)
    }
    if (typeof value === 'number' && !Number.isFinite(value))
      throw this.#refusal('expected a finite number', node)
    return JSON.stringify(value)
  }

  #checkTag(node: Node): void {
    if (node.tag !== undefined) throw this.#refusal('expected no tag', node)
  }
}

/**
 * Finds values in a text of JSON or YAML by their JSON Pointers: the key of a member, the first character of an item; of what
 * does not exist the nearest that does.
 */
export function placesIn(text: string): (pointer: string) => Place {
  const lines = new LineCounter()
  const { contents } = read(text, lines)
  return (pointer) => {
    let offset = contents?.range?.[0] ?? 0
    let node: unknown = contents
    for (const key of keysOfPointer(pointer)) {
      const found = memberOf(node, key)
      if (!found) break
      offset = found.offset
      node = found.node
    }
    const { line, col } = lines.linePos(offset)
    return placeAt(text, line, col, offset)
  }
}

/** The text of a scalar in a text of JSON or YAML, as its author wrote it: `2.10`; undefined: there is none at the JSON Pointer. */
export function scalarIn(text: string, pointer: string): string | undefined {
  let node: unknown = read(text).contents
  for (const key of keysOfPointer(pointer)) node = memberOf(node, key)?.node
  return isScalar(node) ? node.source : undefined
}

function memberOf(node: unknown, key: string): { offset: number; node: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && textOf(item.key) === key)
    const range = isScalar(pair?.key) ? pair.key.range : undefined
    return range ? { offset: range[0], node: pair?.value } : undefined
  }
  const item = isSeq(node) ? (node.items[Number(key)] as Node | undefined) : undefined
  return item?.range ? { offset: item.range[0], node: item } : undefined
}

const textOf = ({ value, source }: Scalar): string =>
  typeof value === 'string' ? value : (source ?? '')

/** The place of a character of a text. @param offset from 0 */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const column = offset - before.lastIndexOf('\n')
  return placeAt(text, before.split('\n').length, column, offset)
}

function placeAt(text: string, line: number, column: number, offset: number): Place {
  const end = text.indexOf('\n', offset)
  const whole = text.slice(offset - column + 1, end < 0 ? undefined : end)
  return { line, column, text: whole.replace(/\r$/, '') }
}

/** Whether a file holds YAML, by its name; every other one holds JSON. */
export const isYamlFile = (name: string): boolean => /\.ya?ml$/i.test(name)
