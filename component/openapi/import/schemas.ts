/** Schemas of OpenAPI, each turned into one of JSON Schema 2020-12 with references to `#/schemas/…`. */
import { canonicalJson, keysOfPointer, pointer } from '#component/codec/json.ts'
import { isMap, type JsonMap, setOwn } from '#component/syntax/values.ts'
import { mapped } from './origins.ts'
import { withoutDialect } from './schema-3-0.ts'
import { filesKey, type Source, targetOf, unresolved } from './source.ts'

/** Keywords whose value is a schema, a list of schemas, or a map of names to schemas. */
const one = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains'],
  ...['unevaluatedItems', 'not', 'if', 'then', 'else', 'contentSchema'],
])
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/** Keywords that the gateway refuses, because they make other places of a document mean something else. */
const refused = new Set([
  ...['$id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
  ...['$recursiveAnchor', '$vocabulary', '$async', '$data'],
])

/** Annotations that may stand beside a `$ref` of OpenAPI 3.0 without changing what it allows. */
const harmless = new Set(['$ref', 'description', 'title', 'summary', 'deprecated'])

/** Characters of a schema that is as short as a reference. */
const shortest = 80

const components = '/components/schemas'

/** Names of `schemas`: letters, digits, `.`, `_` and `-`. */
const longestName = 100

const nameOf = (text: string): string =>
  text.replaceAll(/[^\w.-]+/g, '_').slice(0, longestName) || 'schema'

/** Converts schemas, and keeps those that have names. */
export class Schemas {
  readonly #source: Source
  /** What becomes `schemas`, by name. */
  readonly named: Record<string, unknown> = {}
  /** The names, by the places of what they name. */
  readonly #names = new Map<string, string>()

  /** Places of components.schemas that were not read. */
  readonly #unread = new Set<string>()
  /** Places of components.schemas that are referred to, and are not converted yet. */
  readonly #referred = new Set<string>()

  /** @param isWhole whether all of components.schemas is read, used or not */
  constructor(source: Source, isWhole: boolean) {
    this.#source = source
    const found = source.valueAt(components)
    if (found !== undefined && !isMap(found)) source.losses.tell(components, 'expected a map')
    const schemas = isMap(found) ? found : {}
    // first the names: a reference may stand before what it refers to
    for (const key of Object.keys(schemas)) this.#reserve(pointer(components, key), key)
    for (const key of Object.keys(schemas)) this.#unread.add(pointer(components, key))
    if (isWhole) for (const at of this.#unread) this.#read(at)
  }

  #read(at: string): void {
    this.#unread.delete(at)
    setOwn(this.named, this.#names.get(at) ?? '', this.convert(this.#source.valueAt(at), at))
  }

  /** Reads what is referred to, and forgets all else of components.schemas. */
  convertReferred(): void {
    for (const at of this.#referred) if (this.#unread.has(at)) this.#read(at)
    for (const at of this.#unread) delete this.named[this.#names.get(at) ?? '']
  }

  #reserve(at: string, key: string): string {
    const wanted = nameOf(key)
    let name = wanted
    for (let number = 2; Object.hasOwn(this.named, name); number++)
      name = `${wanted.slice(0, longestName - String(number).length - 1)}_${number}`
    if (name !== key && at === pointer(components, key))
      this.#source.losses.tell(at, `the schema is named ${name}`)
    this.#names.set(at, name)
    setOwn(this.named, name, true)
    return name
  }

  /** The schema that stands at a place. What cannot be converted allows any value, and is told. */
  convert(schema: unknown, at: string): unknown {
    if (typeof schema === 'boolean') return schema
    if (!isMap(schema)) {
      this.#source.losses.tell(at, 'expected a schema')
      return true
    }
    const { is30 } = this.#source
    const isReference = is30 && typeof schema.$ref === 'string'
    const converted: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      const place = pointer(at, keyword)
      if (isReference && !harmless.has(keyword))
        this.#source.losses.tell(place, 'beside $ref, OpenAPI 3.0 ignores other keywords')
      else if (refused.has(keyword) || keyword.startsWith('x-wamp-gateway'))
        this.#source.losses.tell(place, 'the gateway does not take this keyword')
      else if (keyword === '$ref') this.#reference(value, place, converted)
      else setOwn(converted, keyword, this.#member(keyword, value, place))
    }
    return mapped(is30 ? withoutDialect(converted) : converted, at)
  }

  /**
   * A reference to the schema of a component that operations share, which gets a name when it is first asked for; the schema itself
   * at any other place.
   */
  shared(at: string, make: () => unknown): unknown {
    if (!at.startsWith('/components/')) return make()
    const known = this.#names.get(at)
    if (known !== undefined) return mapped({ $ref: `#${pointer('/schemas', known)}` }, at)
    const schema = make()
    if (!isMap(schema) || canonicalJson(schema).length < shortest) return schema
    const name = this.#reserve(at, titleOf(keysOfPointer(at)))
    this.named[name] = schema
    return mapped({ $ref: `#${pointer('/schemas', name)}` }, at)
  }

  #member(keyword: string, value: unknown, at: string): unknown {
    if (one.has(keyword)) return this.convert(value, at)
    if (lists.has(keyword) && Array.isArray(value))
      return mapped(
        value.map((item, index) => this.convert(item, pointer(at, index))),
        at,
      )
    if (maps.has(keyword) && isMap(value)) {
      const converted: Record<string, unknown> = {}
      for (const [name, item] of Object.entries(value))
        setOwn(converted, name, this.convert(item, pointer(at, name)))
      return mapped(converted, at)
    }
    return keyword === 'discriminator' && isMap(value) ? this.#discriminator(value, at) : value
  }

  #reference($ref: unknown, at: string, converted: Record<string, unknown>): void {
    const found = typeof $ref === 'string' ? this.#named($ref) : undefined
    if (found === undefined) this.#source.losses.tell(at, unresolved(String($ref)))
    else converted.$ref = found
  }

  /** The reference within the API Specification; undefined: there is no such schema. */
  #named($ref: string): string | undefined {
    const target = targetOf($ref)
    const schema = target === undefined ? undefined : this.#source.valueAt(target)
    if (target === undefined || (!isMap(schema) && typeof schema !== 'boolean')) return undefined
    const [, , key = '', ...below] = keysOfPointer(target)
    const parent = target.startsWith(`${components}/`) ? pointer(components, key) : target
    let name = this.#names.get(parent)
    if (name === undefined) {
      // a schema of an operation or a response, which others refer to, gets a name of its own
      name = this.#reserve(parent, titleOf(keysOfPointer(parent)))
      this.named[name] = this.convert(schema, parent)
    }
    if (this.#unread.has(parent)) this.#referred.add(parent)
    return `#${pointer('/schemas', name, ...(parent === target ? [] : below))}`
  }

  /** `mapping` leads to schemas by reference or by name. */
  #discriminator(discriminator: JsonMap, at: string): JsonMap {
    const { mapping } = discriminator
    if (!isMap(mapping)) return discriminator
    const converted: Record<string, unknown> = {}
    for (const [value, to] of Object.entries(mapping)) {
      const $ref = String(to).includes('#') ? String(to) : `#${pointer(components, String(to))}`
      const name = this.#named($ref)
      if (name !== undefined) setOwn(converted, value, name)
      else this.#source.losses.tell(pointer(at, 'mapping', value), unresolved($ref))
    }
    return { ...discriminator, mapping: converted }
  }
}

/** Words that tell nothing of what a schema is. */
const structure = new Set([
  ...['paths', 'components', 'schemas', 'content', 'schema', 'responses', 'parameters'],
  ...[filesKey, 'requestBody', 'requestBodies', 'application/json', 'properties', 'items', '$defs'],
])

/** A name for a schema that has none, of the words that lead to it. */
const titleOf = (keys: readonly string[]): string =>
  keys
    .filter((key) => !structure.has(key))
    .map((key) => key.replaceAll(/[^\w]+/g, '_').replaceAll(/^_+|_+$/g, ''))
    .filter((word) => word !== '')
    .join('_')
