/** Reads bindings, query parameters and form fields, which are texts, as the types that their schema names. */
import { isInteger64 } from '#component/syntax/integers.ts'
import { isMap, setOwn } from '#component/syntax/values.ts'
import { partsOf } from './keywords.ts'
import { type NamedSchemas, resolve } from './references.ts'

/** Texts by name. */
type Texts = Readonly<Record<string, string>>

/**
 * Reads texts as typed values, and puts in defaults. What does not read as its type stays text, and no check passes it.
 * @param listsOf all values of each name in order; called when the schema names a list
 */
export type TextReader = (
  texts: Texts,
  listsOf?: () => Readonly<Record<string, readonly string[]>>,
) => Record<string, unknown>

/** What texts may become. */
export interface TextRules {
  /** Whether a name may have several values, so that `array` is read. */
  readonly lists: boolean
  /** Whether the `default` of a property takes the place of an absent text. */
  readonly defaults: boolean
}

/** A text as a value; undefined when it does not read as one. */
type Read = (text: string) => unknown

const integerForm = /^-?(?:0|[1-9]\d{0,19})$/
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const hasFraction = /[.eE]/

function readInteger(text: string): number | bigint | undefined {
  if (!integerForm.test(text)) return undefined
  const value = Number(text) + 0 // of -0 it makes 0
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(text)
  return isInteger64(exact) ? exact : undefined
}

function readNumber(text: string): number | bigint | undefined {
  if (!hasFraction.test(text)) return readInteger(text)
  const value = numberForm.test(text) ? Number(text) : undefined
  return Number.isFinite(value) ? value : undefined
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

const scalars: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['integer', readInteger],
  ['number', readNumber],
  ['boolean', (text) => booleans.get(text)],
])

/**
 * Each schema that applies to the value of a schema: itself, those of `$ref`, and those of the keywords that are followed.
 * @param follows by default `allOf`: what applies as a matter of course
 */
export function* appliedTo(
  schema: unknown,
  named: NamedSchemas,
  follows: (keyword: string) => boolean = (keyword) => keyword === 'allOf',
  seen: Set<unknown> = new Set(),
): Generator<Readonly<Record<string, unknown>>> {
  if (!isMap(schema) || seen.has(schema)) return
  seen.add(schema)
  yield schema
  if (typeof schema.$ref === 'string') {
    const target = resolve(schema.$ref, named)
    if (typeof target !== 'string') yield* appliedTo(target.schema, named, follows, seen)
  }
  for (const part of partsOf(schema)) {
    if (follows(part.keyword)) yield* appliedTo(part.schema, named, follows, seen)
  }
}

/** The first value of a keyword among the schemas that apply; undefined where none has it. */
function keywordOf(schema: unknown, keyword: string, named: NamedSchemas): unknown {
  for (const applied of appliedTo(schema, named)) {
    if (Object.hasOwn(applied, keyword)) return applied[keyword]
  }
  return undefined
}

/** The types that a schema names: its own, else those of its alternatives, such as an integer or null. */
function typesOf(schema: unknown, named: NamedSchemas): readonly unknown[] {
  const types = keywordOf(schema, 'type', named)
  if (types !== undefined) return Array.isArray(types) ? types : [types]
  return alternativesOf(schema, named).flatMap((alternative) => {
    const own = keywordOf(alternative, 'type', named)
    return Array.isArray(own) ? own : [own]
  })
}

function alternativesOf(schema: unknown, named: NamedSchemas): readonly unknown[] {
  const found = keywordOf(schema, 'anyOf', named) ?? keywordOf(schema, 'oneOf', named)
  return Array.isArray(found) ? found : []
}

/** The first of some types that a text reads as; undefined when none of them is read. */
function firstRead(types: readonly unknown[]): Read | undefined {
  const reads = types.flatMap((type) => scalars.get(String(type)) ?? [])
  if (reads.length === 0) return undefined
  return (text) => {
    for (const read of reads) {
      const value = read(text)
      if (value !== undefined) return value
    }
    return undefined
  }
}

/** The schema of the items of a list; `true` where no schema that applies has one. */
function itemsOf(schema: unknown, named: NamedSchemas): unknown {
  for (const choice of [schema, ...alternativesOf(schema, named)]) {
    const items = keywordOf(choice, 'items', named)
    if (items !== undefined) return items
  }
  return true
}

/** How the text or texts of one name are read. */
interface Member {
  /** Of a single text; undefined where it does not become another type than a text. */
  readonly read: Read | undefined
  /** Of a list: how each of its texts is read. */
  readonly list: { readonly read: Read | undefined } | undefined
}

/** Types are tried in their order, a text last of all: every text is one. */
function memberOf(schema: unknown, named: NamedSchemas, rules: TextRules): Member | undefined {
  const types = typesOf(schema, named).filter((type) => type !== 'string')
  const listAt = rules.lists ? types.indexOf('array') : -1
  if (listAt < 0) {
    const read = firstRead(types)
    return read && { read, list: undefined }
  }
  const items = typesOf(itemsOf(schema, named), named).filter((type) => type !== 'string')
  return { read: firstRead(types.slice(0, listAt)), list: { read: firstRead(items) } }
}

/** The value of a name. */
function readAs(member: Member, text: string, texts: readonly string[]): unknown {
  const single = texts.length === 1 ? member.read?.(text) : undefined
  if (single !== undefined || member.list === undefined) return single ?? text
  const { read } = member.list
  return texts.map((item) => read?.(item) ?? item)
}

/** The schemas of properties by name, of all schemas that apply; the first one counts. */
function propertiesOf(schema: unknown, named: NamedSchemas): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const { properties } of appliedTo(schema, named)) {
    if (!isMap(properties)) continue
    for (const name of Object.keys(properties)) {
      if (!found.has(name)) found.set(name, properties[name])
    }
  }
  return found
}

/** The reader of the texts of a schema; undefined when all of them stay texts, so that none is needed. */
export function textReaderOf(
  schema: unknown,
  named: NamedSchemas,
  rules: TextRules,
): TextReader | undefined {
  const members = new Map<string, Member>()
  const defaults: (readonly [name: string, value: unknown])[] = []
  for (const [name, property] of propertiesOf(schema, named)) {
    const member = memberOf(property, named, rules)
    if (member) members.set(name, member)
    const value = rules.defaults ? keywordOf(property, 'default', named) : undefined
    if (value !== undefined) defaults.push([name, value])
  }
  const others = memberOf(keywordOf(schema, 'additionalProperties', named), named, rules)
  if (members.size === 0 && defaults.length === 0 && others === undefined) return undefined
  const known = new Set(propertiesOf(schema, named).keys())

  return (texts, listsOf) => {
    const values: Record<string, unknown> = {}
    for (const name of Object.keys(texts)) {
      const text = texts[name] ?? ''
      const member = members.get(name) ?? (known.has(name) ? undefined : others)
      const list = member?.list && listsOf?.()[name]
      setOwn(values, name, member ? readAs(member, text, list ?? [text]) : text)
    }
    for (const [name, value] of defaults) {
      if (!Object.hasOwn(texts, name)) setOwn(values, name, value)
    }
    return values
  }
}
