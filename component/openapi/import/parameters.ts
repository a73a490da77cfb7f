/** Parameters of OpenAPI as the member `request` of paths and operations. */
import { pointer } from '#component/codec/json.ts'
import { isToken } from '#component/syntax/http-field.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { mapped } from './origins.ts'
import type { Schemas } from './schemas.ts'
import type { Place, Source } from './source.ts'

/** A parameter that the gateway reads. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly schema: unknown
  /** JSON Pointer in the OpenAPI document. */
  readonly at: string
}

/** Fields that OpenAPI leaves to other places of the document. */
const ignoredHeaders = new Set(['accept', 'content-type', 'authorization'])

const carried = [
  ...['name', 'in', 'required', 'schema', 'content', 'description', 'deprecated', 'example'],
  ...['examples', 'style', 'explode', 'allowReserved', 'allowEmptyValue'],
  'x-wamp-gateway-rest',
]

/** Reads the parameters under the key `parameters` of a path or an operation. */
export function parametersOf(parent: Place, source: Source, schemas: Schemas): Parameter[] {
  return source.members(parent, 'parameters').flatMap((place) => {
    const found = readParameter(place, source, schemas)
    return found ? [found] : []
  })
}

function readParameter(place: Place, source: Source, schemas: Schemas): Parameter | undefined {
  const { map, at } = place
  const { losses } = source
  const name = String(map.name)
  const within = map.in
  if (typeof map.name !== 'string' || name === '__proto__') {
    losses.tell(at, 'expected a parameter with a name')
    return undefined
  }
  if (within === 'cookie') {
    losses.tell(at, `the gateway reads no cookies: the parameter ${name} is left out`)
    return undefined
  }
  if (within !== 'path' && within !== 'query' && within !== 'header') {
    losses.tell(pointer(at, 'in'), `the gateway reads no parameters in ${String(within)}`)
    return undefined
  }
  if (within === 'header' && ignoredHeaders.has(name.toLowerCase())) return undefined
  if (within === 'header' && !isToken(name)) {
    losses.tell(at, `no field has the name ${JSON.stringify(name)}: the parameter is left out`)
    return undefined
  }
  losses.tellOthers(map, at, { carried })
  if (map.allowEmptyValue === true)
    losses.tell(pointer(at, 'allowEmptyValue'), 'an empty value must fit the schema, too')
  const reading = readingOf(place, within, source)
  if (reading === 'none') return undefined
  return {
    ...{ name: within === 'header' ? name.toLowerCase() : name, in: within, at },
    isRequired: map.required === true,
    schema: schemaOf(place, reading === 'text', source, schemas),
  }
}

/** The schema of a parameter with what else the parameter says. */
function schemaOf({ map, at }: Place, isText: boolean, source: Source, schemas: Schemas): unknown {
  const schema = isText || map.schema === undefined ? { type: 'string' } : map.schema
  const converted = schemas.convert(schema, pointer(at, 'schema'))
  const { description, deprecated } = map
  const examples = isText ? [] : examplesOf({ map, at }, source)
  const said = {
    ...(typeof description === 'string' && { description }),
    ...(deprecated === true && { deprecated }),
    ...(examples.length > 0 && { examples }),
  }
  if (Object.keys(said).length === 0) return converted
  return mapped({ ...(isMap(converted) ? converted : {}), ...said }, pointer(at, 'schema'))
}

/**
 * How the gateway reads a parameter: by its schema; as a text, where it does not take apart how it is written; not at all, where
 * it has other names than its own. The last two are told.
 */
function readingOf(
  { map, at }: Place,
  within: Parameter['in'],
  source: Source,
): 'schema' | 'text' | 'none' {
  const { losses } = source
  if (map.content !== undefined) {
    losses.tell(pointer(at, 'content'), 'the gateway does not decode parameters: it reads a text')
    return 'text'
  }
  const types = typesOf(map.schema, source)
  const isList = types.includes('array')
  if (!isList && !types.includes('object')) return 'schema'
  const style = typeof map.style === 'string' ? map.style : within === 'query' ? 'form' : 'simple'
  const isRepeated = style === 'form' && map.explode !== false
  if (within === 'query' && isList && isRepeated) return 'schema'
  const path = pointer(at, map.style === undefined ? 'schema' : 'style')
  if (!isList && (isRepeated || style === 'deepObject')) {
    losses.tell(path, 'the gateway makes no map of several parameters: it is left out')
    return 'none'
  }
  const kind = isList ? 'list' : 'map'
  losses.tell(path, `the gateway reads a ${kind} in the style ${style} as one text`)
  return 'text'
}

/** The types that a schema names, through references. */
function typesOf(schema: unknown, source: Source): readonly unknown[] {
  let found = schema
  for (let steps = 0; steps < 8 && typeof memberOf(found, '$ref') === 'string'; steps++) {
    found = source.valueAt(decodeURI(String(memberOf(found, '$ref')).slice(1)))
  }
  const type = memberOf(found, 'type')
  return Array.isArray(type) ? type : [type]
}

/** The values that `example` and `examples` of a parameter or a media type give. */
export function examplesOf(place: Place, source: Source): unknown[] {
  if (Object.hasOwn(place.map, 'example')) return [place.map.example]
  return source.members(place, 'examples').flatMap(({ map, at }) => {
    if (Object.hasOwn(map, 'value')) return [map.value]
    if (Object.hasOwn(map, 'dataValue')) return [map.dataValue]
    source.losses.tell(at, 'the example has no value in this document')
    return []
  })
}

/** The parameters of an operation: its own stand in place of those of its path. */
export const withOwn = (shared: readonly Parameter[], own: readonly Parameter[]): Parameter[] => [
  ...shared.filter((each) => !own.some((other) => sameAs(each, other))),
  ...own,
]

const sameAs = (one: Parameter, other: Parameter): boolean =>
  one.name === other.name && one.in === other.in

/** The members of `request`, and the places of parameters for which each stands. */
const parts = { path: 'bindings', query: 'query_params', header: 'headers' } as const

/** The members `bindings`, `query_params` and `headers` of `request`, as far as there are parameters. */
export function requestOf(parameters: readonly Parameter[]): Record<string, JsonMap> {
  const request: Record<string, JsonMap> = {}
  for (const [within, part] of Object.entries(parts)) {
    const found = parameters.filter((each) => each.in === within)
    if (found.length === 0) continue
    const properties: Record<string, unknown> = {}
    for (const { name, schema } of found) setOwn(properties, name, schema)
    // a path has its bindings always
    const required = within === 'path' ? [] : found.filter((each) => each.isRequired)
    request[part] = {
      type: 'object',
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
      properties,
    }
  }
  return request
}

/** Path parameters under the names of their bindings; those of segments that are not bound are left out. */
export function withinPath(
  parameters: readonly Parameter[],
  names: ReadonlyMap<string, string | undefined>,
  losses: Losses,
): Parameter[] {
  return parameters.flatMap((each) => {
    if (each.in !== 'path') return [each]
    if (!names.has(each.name)) losses.tell(each.at, `the path has no {${each.name}}`)
    const name = names.get(each.name)
    return name === undefined ? [] : [{ ...each, name }]
  })
}
