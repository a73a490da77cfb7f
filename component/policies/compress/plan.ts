/** `compress` of a route, as it is compiled. */
import type { Known } from '#component/policies/kind.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import { remembered } from '#component/syntax/remembered.ts'
import { isMap } from '#component/syntax/values.ts'
import { type CodingName, codingNames, type Level, levels } from './codings.ts'

/** Which answers are compressed, and how. */
export interface CompressPlan {
  /** In the order of preference. */
  readonly codings: readonly CodingName[]
  /** Shorter bodies are not compressed. */
  readonly minBytes: number
  readonly types: readonly string[]
  readonly level: Level
  /** Whether answers of a media type are compressed, parameters included. */
  isCompressed(type: string): boolean
}

/** The values of keys that are absent. */
export const compressDefaults = {
  codings: codingNames,
  min_bytes: 1024,
  types: [
    ...['text/*', 'application/json', '+json', 'application/msgpack', 'application/xml', '+xml'],
    ...['application/yaml', '+yaml', 'application/javascript', 'application/wasm'],
  ],
  level: 'fast',
} as const

/** Whether a list has a type: itself, its `type/*`, or its suffix (RFC 6838 §4.2.8). */
function matching(types: readonly string[]): (type: string) => boolean {
  const known = new Set(types.map((type) => type.toLowerCase()))
  return (type) => {
    const essence = essenceOf(type)
    if (known.has(essence)) return true
    const suffix = essence.lastIndexOf('+')
    return (
      known.has(`${essence.slice(0, essence.indexOf('/'))}/*`) ||
      (suffix > 0 && known.has(essence.slice(suffix)))
    )
  }
}

/** A list without what is none of its items: that has been reported. */
const listIn = <Item>(value: unknown, isItem: (item: unknown) => item is Item): readonly Item[] =>
  Array.isArray(value) ? value.filter(isItem) : []

const isCoding = (value: unknown): value is CodingName => codingNames.some((name) => name === value)
const isText = (value: unknown): value is string => typeof value === 'string'

/** @param known whose faults have been reported; undefined without one */
export function compileCompress(known: Known | undefined): CompressPlan | undefined {
  if (known === undefined || (known.value !== true && !isMap(known.value))) return undefined
  const own = isMap(known.value) ? known.value : {}
  const all: Readonly<Record<string, unknown>> = { ...compressDefaults, ...own }
  const types = listIn(all.types, isText)
  return {
    codings: listIn(all.codings, isCoding),
    minBytes: typeof all.min_bytes === 'number' ? all.min_bytes : compressDefaults.min_bytes,
    types,
    level: levels.find((level) => level === all.level) ?? compressDefaults.level,
    isCompressed: remembered(matching(types)),
  }
}
