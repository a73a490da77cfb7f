/** Responses of OpenAPI as what `on_result` declares and as the member `responses` of an operation. */

import { pointer } from '#component/codec/json.ts'
import { headerNameProblem } from '#component/syntax/http-field.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import { readContent, withExamples } from './contents.ts'
import { mapped } from './origins.ts'
import { examplesOf } from './parameters.ts'
import type { Schemas } from './schemas.ts'
import type { Place, Source } from './source.ts'

/** The responses of an operation. */
export interface Responses {
  /** What answers a success: the first response from 200 to 299, else from 300 to 399. */
  readonly success: Success | undefined
  /** JSON Pointer of a 101; undefined: there is none. */
  readonly switchedAt: string | undefined
  /** By status or `default`, as the member `responses` has them. */
  readonly documented: JsonMap
}

interface Success {
  /** undefined: any of 200 to 299. */
  readonly status: number | undefined
  readonly hasBody: boolean
  /** Media types of the body, where one is no JSON; else empty. */
  readonly types: readonly string[]
  /** undefined: none is told. */
  readonly schema: unknown
}

/** Why a status is lost. */
export const noSuchStatus = 'the gateway gives no such status'

const carried = ['description', 'headers', 'content', 'summary']
const reasons = { links: 'the gateway does not know links' }

/** Reads the key `responses` of an operation. */
export function readResponses(operation: Place, source: Source, schemas: Schemas): Responses {
  const documented: Record<string, unknown> = {}
  let switchedAt: string | undefined
  let success: (Success & { readonly name: string }) | undefined
  const places = source.members(operation, 'responses')
  const chosen =
    places.find(({ name }) => name.startsWith('2')) ??
    places.find(({ name }) => name.startsWith('3'))
  for (const place of places) {
    const { name, map, at } = place
    if (name === '101') {
      switchedAt = at
      continue
    }
    if (!/^([2-5]\d\d|[2-5]XX|default)$/.test(name)) {
      source.losses.tell(at, noSuchStatus)
      continue
    }
    source.losses.tellOthers(map, at, { carried, reasons })
    const content = readContent(place, source, schemas, true)
    const schema = content && withExamples(content, pointer(at, 'content'))
    const isSuccess = place === chosen
    if (isSuccess) {
      const status = /^\d+$/.test(name) ? Number(name) : undefined
      const types = content?.types ?? []
      const provided = types.every((type) => type === 'application/json') ? [] : types
      success = { name, status, hasBody: content !== undefined, types: provided, schema }
    }
    const response = documentedOf(place, isSuccess ? undefined : schema, source, schemas)
    setOwn(documented, name, mapped(response, at))
  }
  return { success, documented, switchedAt }
}

function documentedOf(place: Place, schema: unknown, source: Source, schemas: Schemas): JsonMap {
  const { description, summary } = place.map
  const text = [summary, description].find((each) => typeof each === 'string' && each !== '')
  const headers: Record<string, unknown> = {}
  for (const header of source.members(place, 'headers')) {
    const name = header.name.toLowerCase()
    if (name === 'content-type') continue
    const problem = headerNameProblem(name)
    if (problem !== undefined) {
      source.losses.tell(
        header.at,
        `${problem}; the header ${JSON.stringify(header.name)} is left out`,
      )
      continue
    }
    setOwn(headers, name, headerOf(header, source, schemas))
  }
  return {
    ...(typeof text === 'string' && { description: text }),
    ...(schema !== undefined && { schema }),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

const headerKeys = {
  carried: ['description', 'schema', 'required', 'style', 'explode', 'example', 'examples'],
  reasons: { content: 'a header is a text' },
}

function headerOf(place: Place, source: Source, schemas: Schemas): JsonMap {
  const { map, at } = place
  source.losses.tellOthers(map, at, headerKeys)
  const examples = examplesOf(place, source)
  const { description } = map
  const said = typeof description === 'string' ? { description } : {}
  const schema =
    map.schema === undefined ? undefined : schemas.convert(map.schema, pointer(at, 'schema'))
  const shown = withExamples({ schema, examples }, at)
  if (!isMap(shown)) return { ...said, ...(shown !== undefined && { schema: shown }) }
  // that of a component says what it means in the one place where it stands
  const shared = schemas.shared(at, () => mapped({ ...said, ...shown }, at))
  return shared === undefined ||
    memberOf(shared, '$ref') === undefined ||
    memberOf(shown, '$ref') !== undefined
    ? { ...said, schema: shown }
    : { schema: shared }
}
