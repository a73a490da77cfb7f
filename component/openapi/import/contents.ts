/** The map `content` of request bodies and responses: the media types that the gateway reads or writes, and their schema. */
import { pointer } from '#component/codec/json.ts'
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'
import { isMap } from '#component/syntax/values.ts'
import { mapped } from './origins.ts'
import { examplesOf } from './parameters.ts'
import type { Schemas } from './schemas.ts'
import type { Place, Source } from './source.ts'

/** What is carried over of a map `content`. */
export interface Content {
  /** Media types as `accepts` names them. */
  readonly types: readonly string[]
  /** undefined: none is told. */
  readonly schema: unknown
  readonly examples: readonly unknown[]
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
const msgpack = 'application/msgpack'

/** The type under which the gateway takes or gives bodies of a media type; undefined: it cannot. */
function known(type: string, isAnswer: boolean): string | undefined {
  const essence = essenceOf(type)
  if (isJsonType(essence) || essence === '*/*' || essence === 'application/*') return json
  if (essence === msgpack || essence === 'application/x-msgpack') return msgpack
  return essence === form && !isAnswer ? form : undefined
}

const carried = ['schema', 'example', 'examples']
const reasons = {
  encoding: 'the gateway encodes the fields of a form by itself',
  itemSchema: 'the gateway does not judge streams',
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
  for (const place of source.members(parent, 'content')) {
    const type = known(place.name, isAnswer)
    if (type === undefined) {
      const verb = isAnswer ? 'gives no answers' : 'takes no bodies'
      source.losses.tell(place.at, `the gateway ${verb} of the type ${essenceOf(place.name)}`)
      continue
    }
    types.add(type)
    source.losses.tellOthers(place.map, place.at, { carried, reasons })
    if (isJsonType(essenceOf(place.name)) && essenceOf(place.name) !== json)
      source.losses.tell(place.at, `the body has the type ${json}`)
    if (first === undefined) first = contentOf(place, source, schemas)
    else if (!isSame(first, contentOf(place, source, schemas)))
      source.losses.tell(place.at, 'one schema is for all types: that of the first')
  }
  return first && { ...first, types: [...types] }
}

function contentOf(place: Place, source: Source, schemas: Schemas): Content {
  const { schema } = place.map
  const at = pointer(place.at, 'schema')
  return {
    types: [],
    schema:
      schema === undefined ? undefined : schemas.shared(at, () => schemas.convert(schema, at)),
    examples: examplesOf(place, source),
  }
}

const isSame = (one: Content, other: Content): boolean =>
  JSON.stringify(one.schema) === JSON.stringify(other.schema)

/** The schema with the examples of its content; undefined where there is neither. */
export function withExamples({ schema, examples }: Content, at: string): unknown {
  if (examples.length === 0) return schema
  if (schema === undefined) return mapped({ examples }, at)
  return isMap(schema) && !Object.hasOwn(schema, 'examples')
    ? mapped({ ...schema, examples }, at)
    : schema
}
