/** What arrived of a request beside what was judged of it, by parsers of others than the gateway. */
import { isDeepStrictEqual } from 'node:util'
import type { Arrived } from '#test/support/peers/recording-upstream.ts'
import { json, lists, members, type Sent } from './random-requests.ts'

type Texts = Readonly<Record<string, readonly string[]>>

/** The fields of a query or a form by the WHATWG's parser, and what a name without `=` is. @throws URIError for a bad escape */
function fieldsOf(text: string, bare: string): Texts {
  const fields: Record<string, string[]> = Object.create(null)
  for (const field of text.split('&')) {
    if (field === '') continue
    // the parser drops a `?` at the beginning, and takes bad escapes
    for (const part of field.split('=')) decodeURIComponent(part)
    for (const [name, value] of new URLSearchParams(`&${field}`)) {
      const item = field.includes('=') ? value : bare
      fields[name] = [...(fields[name] ?? []), item]
    }
  }
  return fields
}

const isSame = (judged: unknown, text: string): boolean =>
  typeof judged === 'string'
    ? judged === text
    : typeof judged === 'number'
      ? judged === Number(text)
      : String(judged) === text

/** How fields that arrived differ from what was judged of them; undefined: they do not. */
function fieldProblem(
  fields: Texts,
  judged: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const name of new Set([...Object.keys(fields), ...Object.keys(judged)])) {
    const arrived = fields[name]
    const value = Object.hasOwn(judged, name) ? judged[name] : undefined
    if (arrived === undefined || value === undefined)
      return `${name} is ${arrived ? 'not judged' : 'not sent'}`
    const known = Object.hasOwn(members, name) ? members[name] : undefined
    if (known && !arrived.every(known[1])) return `${name} does not fit: ${arrived}`
    if (known && arrived.length > 1 && !lists.has(name))
      return `${name} is sent ${arrived.length} times`
    const all = Array.isArray(value) ? value : [value]
    const seen = known ? arrived : arrived.slice(-1)
    if (all.length !== seen.length || !all.every((one, index) => isSame(one, seen[index] ?? '')))
      return `${name} was judged as ${JSON.stringify(value)}, and is ${arrived}`
  }
  return undefined
}

/** What the expressions of the answer see of a request, once it is checked. */
export interface Judged {
  readonly query: Readonly<Record<string, unknown>>
  readonly id: string
  readonly header: string | null
  readonly body: unknown
}

/** How what arrived differs from what was judged and sent; undefined: it does not. */
export function problemOf(
  { route, id, query, body }: Sent,
  judged: Judged,
  { target, headers, body: bytes }: Arrived,
): string | undefined {
  if (!bytes.equals(body ?? Buffer.alloc(0))) return `the body ${bytes}`
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const arrived = mark < 0 ? '' : target.slice(mark + 1)
  const segment = path.slice(route.sent.length)
  if (!path.startsWith(route.sent) || decodeURIComponent(segment) !== judged.id)
    return `the path ${path}`
  if (decodeURIComponent(id.split('?', 1)[0] ?? '') !== judged.id) return `the binding ${judged.id}`
  if (!arrived.startsWith(route.query)) return `the query ${arrived}`
  const rest = arrived.slice(route.query.length)
  const inPath = id.indexOf('?')
  const sent =
    inPath < 0 ? (query ?? '') : `${id.slice(inPath + 1)}${query === undefined ? '' : `?${query}`}`
  const fields = fieldsOf(rest, 'true')
  if (!isDeepStrictEqual(fields, fieldsOf(sent, 'true'))) return `the query ${arrived}`
  const ofQuery = fieldProblem(fields, judged.query)
  if (ofQuery !== undefined) return `of the query ${ofQuery}`
  const { 'x-h': header } = headers
  if (header !== undefined && header !== judged.header) return `the header ${header}`
  if (header === undefined && judged.header && !String(headers.connection ?? '')) return 'no header'
  if (bytes.length === 0) return judged.body === '' ? undefined : 'no body'
  const text = bytes.toString()
  if (headers['content-type']?.startsWith(json)) {
    // JSON of the answer has no -0
    const arrivedBody: unknown = JSON.parse(JSON.stringify(JSON.parse(text)))
    return isDeepStrictEqual(arrivedBody, judged.body) ? undefined : `the JSON ${text}`
  }
  const ofForm = fieldProblem(fieldsOf(text, ''), judged.body as Readonly<Record<string, unknown>>)
  return ofForm === undefined ? undefined : `of the form ${ofForm}`
}
