/** The map `content` of request bodies and responses: the media types that the gateway reads or writes, and their schema. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { isStreamType } from '#component/syntax/event-stream.ts'
import {
  essenceOf,
  formOf,
  formType,
  isRange,
  mediaRangeProblem,
  msgpackType,
  multipartType,
} from '#component/syntax/media-type.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { mapped } from './origins.ts'
import { examplesOf } from './parameters.ts'
import type { Schemas } from './schemas.ts'
import type { Place, Source } from './source.ts'

/** What is carried over of a map `content`. */
export interface Content {
  /** Media types as `accepts` and `provides` name them. */
  readonly types: readonly string[]
  /** undefined: none is told. */
  readonly schema: unknown
  readonly examples: readonly unknown[]
  /** How many files a form may have; 0: none. */
  readonly files: number
}

const json = 'application/json'

/** The type under which the gateway takes or gives bodies of a media type; undefined: it cannot. */
function known(type: string, isAnswer: boolean): string | undefined {
  const essence = essenceOf(type)
  // what programs write that do not say which type they have
  if (essence === '*/*' || essence === 'application/*') return json
  if (essence === 'application/x-msgpack') return msgpackType
  if (mediaRangeProblem(essence) !== undefined) return undefined
  const isForm = essence === formType || essence === multipartType
  const isAnswerless = isForm || isRange(essence) || isStreamType(essence)
  return isAnswer && isAnswerless ? undefined : essence
}

/** Whether the bodies of a type are values that one schema can tell; each of the others has its own. */
const isOfValues = (type: string): boolean => ['data', 'form', 'multipart'].includes(formOf(type))

/** Whether the schema of a content, if any, may be that of a text: OpenAPI has one of values for XML. */
function isOfText({ map, at }: Place, source: Source): boolean {
  if (!isMap(map.schema)) return true
  const found = source.follow(map.schema, pointer(at, 'schema'))?.map ?? {}
  return [found.type ?? 'string'].flat().includes('string') && found.properties === undefined
}

const carried = ['schema', 'example', 'examples']
const reasons = {
  encoding: 'the gateway encodes the fields of a form by itself',
  itemSchema: 'the gateway does not check streams',
}

/** Reads the `content` of a request body or, as an answer, of a response; undefined: it is absent, or of other types only. */
export function readContent(
  parent: Place,
  source: Source,
  schemas: Schemas,
  isAnswer: boolean,
): Content | undefined {
  const types = new Set<string>()
  let first: Content | undefined
  let typeOfFirst = ''
  const others: unknown[] = []
  const contents = source.members(parent, 'content')
  for (const place of contents) {
    const type = known(place.name, isAnswer)
    if (type === undefined) {
      const verb = isAnswer ? 'gives no responses' : 'takes no bodies'
      source.losses.tell(place.at, `the gateway ${verb} of the type ${essenceOf(place.name)}`)
      continue
    }
    if (!isOfValues(type) && !isOfText(place, source)) {
      source.losses.tell(place.at, `bodies of the type ${type} are text or bytes, not a value`)
      continue
    }
    types.add(type)
    source.losses.tellOthers(place.map, place.at, { carried, reasons })
    if (first === undefined) {
      first = contentOf(place, source, schemas, contents.length === 1)
      typeOfFirst = type
      continue
    }
    const next = contentOf(place, source, schemas)
    if (isSame(first, next)) continue
    const areAlike = (type === multipartType) === (typeOfFirst === multipartType)
    if (isOfValues(type) && isOfValues(typeOfFirst) && areAlike) {
      source.losses.tell(place.at, 'one schema is for all types: that of the first')
    } else others.push(next.schema ?? anyOfType(type))
  }
  if (first === undefined) return undefined
  const all = [first.schema ?? anyOfType(typeOfFirst), ...others]
  const schema = others.length === 0 ? first.schema : oneOfAll(all)
  const count = [...filesIn(parent, source)].reduce((sum, each) => sum + each, 0)
  return { ...first, schema, types: [...types], files: Math.min(count, 100) }
}

/** What every body of a type is; undefined: any value. */
function anyOfType(type: string): JsonMap | undefined {
  if (isOfValues(type)) return undefined
  return formOf(type) === 'text' ? { type: 'string' } : { type: 'string', format: 'binary' }
}

/** A schema that each of some bodies fits; undefined where one of them may be anything. */
const oneOfAll = (schemas: readonly unknown[]): unknown =>
  schemas.includes(undefined)
    ? undefined
    : { anyOf: [...new Map(schemas.map((each) => [canonicalJson(each), each])).values()] }

/** How deep `allOf` is looked into for files. */
const deepest = 8

/** The followed schema of a property. */
function propertyOf(property: unknown, at: string, source: Source): JsonMap {
  return isMap(property) ? (source.follow(property, at)?.map ?? {}) : {}
}

const isFile = ({ type, format, contentMediaType, contentEncoding }: JsonMap): boolean =>
  (type === 'string' || type === undefined) &&
  (format === 'binary' ||
    contentEncoding === 'binary' ||
    (contentMediaType !== undefined && contentEncoding === undefined))

/** The properties of a form that are files: how many of each there may be. */
function filesOf(place: Place, source: Source): ReadonlyMap<string, number> {
  return filesOfSchema(place.map.schema, pointer(place.at, 'schema'), source)
}

function filesOfSchema(
  schema: unknown,
  at: string,
  source: Source,
  depth = 0,
): ReadonlyMap<string, number> {
  const { properties, allOf } = propertyOf(schema, at, source)
  const parts = Array.isArray(allOf) && depth < deepest ? allOf : []
  const found = new Map(parts.flatMap((part) => [...filesOfSchema(part, at, source, depth + 1)]))
  for (const [name, property] of Object.entries(isMap(properties) ? properties : {})) {
    const own = propertyOf(property, pointer(at, 'properties', name), source)
    if (isFile(own)) found.set(name, 1)
    else if (own.type === 'array' && isFile(propertyOf(own.items, at, source))) found.set(name, 10)
  }
  return found
}

/** Of all forms of a map `content`. */
function filesIn(parent: Place, source: Source): Iterable<number> {
  const forms = source.members(parent, 'content')
  const place = forms.find(({ name }) => essenceOf(name) === multipartType)
  return place ? filesOf(place, source).values() : []
}

/** The schema of the fields of a form, which are texts: without files, and any text where a field holds JSON. undefined: it is no map of its own. */
function fieldsOf(place: Place, source: Source): unknown {
  const { schema } = place.map
  const files = filesOf(place, source)
  const at = pointer(place.at, 'schema')
  const { type, properties, required } = propertyOf(schema, at, source)
  if (!isMap(properties)) return undefined
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    if (files.has(name)) return []
    const own = propertyOf(property, pointer(at, 'properties', name), source)
    const isText = ['string', 'integer', 'number', 'boolean'].includes(String(own.type))
    return [[name, isText ? property : {}]]
  })
  const needed = (Array.isArray(required) ? required : []).filter((name) => !files.has(name))
  return {
    type: type ?? 'object',
    properties: Object.fromEntries(fields),
    ...(needed.length > 0 && { required: needed }),
  }
}

/** The schema of a form without files: a property that is a map, or a list of maps, may be any text, since clients send it as JSON (OpenAPI 3.1 §4.8.15.1.1). */
function formOfTexts(place: Place, source: Source): unknown {
  const at = pointer(place.at, 'schema')
  const { properties, ...others } = propertyOf(place.map.schema, at, source)
  const entries = Object.entries(isMap(properties) ? properties : {})
  const maps = entries.filter(([name, property]) => {
    const own = propertyOf(property, pointer(at, 'properties', name), source)
    const each = own.type === 'array' ? propertyOf(own.items, at, source) : own
    return each.type === 'object' || each.properties !== undefined
  })
  if (maps.length === 0) return place.map.schema
  const texts = maps.map(([name]) => [name, {}])
  return { ...others, properties: Object.fromEntries([...entries, ...texts]) }
}

/** @param isAlone whether bodies have no other type */
function contentOf(
  place: Place & { readonly name: string },
  source: Source,
  schemas: Schemas,
  isAlone = false,
): Content {
  const at = pointer(place.at, 'schema')
  const type = essenceOf(place.name)
  const isForm = type === multipartType
  const ofTexts = type === formType && isAlone ? formOfTexts(place, source) : place.map.schema
  const schema = isForm ? fieldsOf(place, source) : ofTexts
  return {
    types: [],
    schema:
      schema === undefined ? undefined : schemas.shared(at, () => schemas.convert(schema, at)),
    examples: isForm ? [] : examplesOf(place, source),
    files: 0,
  }
}

const isSame = (one: Content, other: Content): boolean =>
  canonicalJson(one.schema) === canonicalJson(other.schema)

/** The schema with the examples of its content; undefined where there is neither. */
export function withExamples(
  { schema, examples }: Pick<Content, 'schema' | 'examples'>,
  at: string,
): unknown {
  if (examples.length === 0) return schema
  if (schema === undefined) return mapped({ examples }, at)
  return isMap(schema) && !Object.hasOwn(schema, 'examples')
    ? mapped({ ...schema, examples }, at)
    : schema
}
