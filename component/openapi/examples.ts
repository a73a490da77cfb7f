/** The examples of an operation that hold, sorted by the places where OpenAPI shows them. */
import { pointer } from '#component/codec/json.ts'
import { textReaderOf } from '#component/schema/coerce.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { textOf } from './authored.ts'

/** Example Objects by the name of the example. */
export type Shown = Readonly<Record<string, JsonMap>>

/** Where examples of one operation are shown. */
export interface ShownExamples {
  /** By place and name: `query limit`. */
  readonly parameters: ReadonlyMap<string, Shown>
  readonly body: Shown | undefined
  /** By the status that is expected; `success` where none is. */
  readonly responses: ReadonlyMap<string, Shown>
}

/** The parts of an operation that examples depend on. */
export interface ExampleSources {
  /** JSON Pointer of the operation. */
  readonly at: string
  readonly examples: JsonMap
  /** The schemas of the parts of the request. */
  readonly request: JsonMap
  /** The schemas of the document by name. */
  readonly schemas: JsonMap
  /** JSON Pointers of the examples that hold. */
  readonly holding: ReadonlySet<string>
}

const places = { path: 'bindings', query: 'query_params', header: 'headers' } as const

/** undefined where no example of the operation holds. */
export function shownExamples(sources: ExampleSources): ShownExamples | undefined {
  const { at, examples, holding } = sources
  const parameters = new Map<string, Record<string, JsonMap>>()
  const responses = new Map<string, Record<string, JsonMap>>()
  const bodies: Record<string, JsonMap> = {}
  let hasAny = false
  for (const [name, example] of Object.entries(examples)) {
    if (!isMap(example) || !holding.has(pointer(at, 'examples', name))) continue
    hasAny = true
    const { request, expect } = example
    const description = textOf(example.description)
    const show = (value: unknown): JsonMap => ({
      ...(description !== undefined && { description }),
      value,
    })
    const status = memberOf(expect, 'status')
    const body = memberOf(expect, 'body')
    if (body !== undefined && body !== '') {
      put(responses, status === undefined ? 'success' : String(status), name, show(body))
    }
    // a request that is refused is no example of what to send
    if (typeof status === 'number' && status >= 400) continue
    for (const [place, part] of Object.entries(places)) {
      for (const [parameter, value] of Object.entries(valuesOf(part, request, sources))) {
        put(parameters, `${place} ${parameter}`, name, show(value))
      }
    }
    const sent = memberOf(request, 'body')
    if (sent !== undefined && isJson(memberOf(request, 'headers'))) bodies[name] = show(sent)
  }
  if (!hasAny) return undefined
  return { parameters, responses, body: Object.keys(bodies).length > 0 ? bodies : undefined }
}

function put(
  map: Map<string, Record<string, JsonMap>>,
  key: string,
  name: string,
  value: JsonMap,
): void {
  map.set(key, { ...map.get(key), [name]: value })
}

/** The values of a part of the request, read as its schema has them. */
function valuesOf(
  part: (typeof places)[keyof typeof places],
  request: unknown,
  { request: parts, schemas }: ExampleSources,
): JsonMap {
  const written = memberOf(request, part)
  if (!isMap(written)) return {}
  const names = Object.keys(written)
  const name = (key: string) => (part === 'headers' ? key.toLowerCase() : key)
  const lists = Object.fromEntries(
    names.map((key) => [name(key), [written[key]].flat().map(String)]),
  )
  const texts = Object.fromEntries(names.map((key) => [name(key), lists[name(key)]?.at(-1) ?? '']))
  const read = textReaderOf(parts[part], schemas, {
    lists: part === 'query_params',
    defaults: false,
  })
  return read ? read(texts, () => lists) : texts
}

/** Whether a body is written as the value that it is sent as. */
function isJson(headers: unknown): boolean {
  if (!isMap(headers)) return true
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  return type === undefined || String(type[1]).startsWith('application/json')
}

/** Content with examples in its JSON form. */
export function withExamples(content: unknown, examples: Shown | undefined): unknown {
  const type = 'application/json'
  const shown = memberOf(content, type)
  if (examples === undefined || !isMap(content) || !isMap(shown)) return content
  return { ...content, [type]: { ...shown, examples } }
}
