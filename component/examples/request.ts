/** The request of an example: its bindings become a path, its query parameters a query. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { longestPath } from '#component/routes/concrete-path.ts'
import type { HostPattern } from '#component/syntax/host-pattern.ts'
import { essenceOf, formOf } from '#component/syntax/media-type.ts'
import { namesOf, partsIn, type Segment } from '#component/syntax/path-pattern.ts'
import { percentEncoded } from '#component/syntax/percent-encoding.ts'
import { escapedSlash, hasEscapedSlash, pathProblem } from '#component/syntax/request-target.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'

/** A request as a client would send it. */
export interface ExampleRequest {
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** Percent-encoded. */
  readonly path: string
  /** Without its "?". */
  readonly query_string: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent: no body. */
  readonly body?: unknown
  /** The IP address of the client; absent: 127.0.0.1. */
  readonly peer?: string
}

/** Where an example is sent: the patterns of its operation. */
export interface Target {
  readonly host: HostPattern | undefined
  readonly forms: readonly (readonly Segment[])[]
  /** base_path + path, as written. */
  readonly pattern: string
  /** Whether an escaped slash is text of its segment. */
  readonly keepsSlashes?: boolean | undefined
  /** An address that the operation admits; absent: any is admitted. */
  readonly peer?: string | undefined
}

/** Stands for a label or a segment that may be any. */
const any = 'any'

/** The values of segments that an example need not name. */
const unnamed = { _: any, rest: '' }

/**
 * The request that an example describes.
 * @param written the member `request`, of valid shape
 * @param at its JSON Pointer
 * @returns the request; where the values make no valid one, the reason
 */
export function requestOf(
  written: JsonMap,
  target: Target,
  at: string,
): ExampleRequest | { readonly issue: Issue } {
  const { path, scheme, host, bindings, query_params, headers, peer = target.peer } = written
  const common = {
    scheme: schemeOf(scheme),
    host: typeof host === 'string' ? host : hostOf(target.host),
    ...sentBody(written, headersOf(mapOrEmpty(headers))),
    ...(typeof peer === 'string' && { peer }),
  }
  if (typeof path === 'string') {
    const mark = path.indexOf('?')
    const end = mark < 0 ? path.length : mark
    const sent = path.slice(0, end)
    if (hasEscapedSlash(sent) && !target.keepsSlashes)
      return { issue: { path: pointer(at, 'path'), message: escapedSlash } }
    return { ...common, path: sent, query_string: path.slice(end + 1) }
  }
  const made = pathOf(mapOrEmpty(bindings), target, pointer(at, 'bindings'))
  if (typeof made !== 'string') return made
  return { ...common, path: made, query_string: queryOf(mapOrEmpty(query_params)) }
}

/** The header fields, and the body: bytes where the example writes these, or files. */
function sentBody(
  written: JsonMap,
  headers: Record<string, string>,
): Pick<ExampleRequest, 'headers' | 'body'> {
  const { body, files } = written
  if (isMap(files)) return formWith(mapOrEmpty(body), files, headers)
  if (!Object.hasOwn(written, 'body')) return { headers }
  const type = headers['content-type']
  const isBytes = type !== undefined && ['bytes', 'text'].includes(formOf(essenceOf(type)))
  const { base64, ...others } = mapOrEmpty(body)
  if (!isBytes || typeof base64 !== 'string' || Object.keys(others).length > 0)
    return { headers, body }
  return { headers, body: Buffer.from(base64, 'base64') }
}

/** Of the forms of examples; a random text would make each run another one. */
const boundary = 'wamp-gateway-example-boundary-of-a-form'

/** A body of multipart/form-data, as browsers write it (WHATWG HTML, multipart/form-data encoding algorithm). */
function formWith(
  fields: JsonMap,
  files: JsonMap,
  headers: Record<string, string>,
): Pick<ExampleRequest, 'headers' | 'body'> {
  const escaped = (name: string): string =>
    name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const part = (name: string, more: string, content: string | Uint8Array) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${more}\r\n\r\n`,
    content,
    '\r\n',
  ]
  const pieces = [
    ...Object.entries(fields).flatMap(([name, value]) => part(name, '', String(value))),
    ...Object.entries(files).flatMap(([name, file]) => {
      const {
        filename = 'file',
        content_type = 'application/octet-stream',
        base64,
      } = mapOrEmpty(file)
      const more = `; filename="${escaped(String(filename))}"\r\nContent-Type: ${content_type}`
      return part(name, more, Buffer.from(String(base64 ?? ''), 'base64'))
    }),
    `--${boundary}--\r\n`,
  ]
  const type = `multipart/form-data; boundary=${boundary}`
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  return { headers: { ...headers, 'content-type': type }, body: Buffer.concat(bytes) }
}

const schemeOf = (scheme: unknown): ExampleRequest['scheme'] =>
  scheme === 'http' ? 'http' : 'https'

/** A host that the pattern matches. */
function hostOf(pattern: HostPattern | undefined): string {
  if (pattern?.kind !== 'hosts') return 'localhost'
  const [labels = []] = pattern.forms
  return labels.map((label) => label ?? any).join('.')
}

function headersOf(written: JsonMap): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(written)) headers[name.toLowerCase()] = String(value)
  return headers
}

/** The path, in its longest form; or why no path has these bindings. */
function pathOf(
  written: JsonMap,
  { forms, pattern, keepsSlashes }: Target,
  at: string,
): string | { readonly issue: Issue } {
  const refuse = (message: string, path = at) => ({ issue: { path, message } })
  const names = new Set(forms.flatMap((form) => form.flatMap(neededBy)))
  const bindings: Record<string, string> = Object.assign(Object.create(null), unnamed)
  for (const [name, value] of Object.entries(written)) {
    if (!names.has(name)) {
      return refuse(`the path pattern ${pattern} has no binding of this name`, pointer(at, name))
    }
    bindings[name] = String(value)
    if (bindings[name] === '' && name !== 'rest') {
      return refuse('a binding is a segment of the path, which is never empty', pointer(at, name))
    }
  }
  const path = longestPath(forms, bindings)
  if (path === undefined) {
    const shortest = forms.at(-1) ?? []
    const missing = shortest.flatMap(neededBy).filter((name) => !(name in bindings))
    return refuse(`the path pattern ${pattern} needs a value for ${missing.join(', ')}`)
  }
  const other = forms.flatMap((form) => form.map((segment) => otherReading(segment, bindings)))
  const [unlike] = other.filter((reading) => reading !== undefined)
  if (unlike) return refuse(`no request can have these values: ${unlike}`)
  const problem = pathProblem(path || '/', keepsSlashes)
  return problem === undefined
    ? path || '/'
    : refuse(`no request can have these values: ${problem}`)
}

/** Why a segment of text and bindings does not read the values back; undefined where it does, or where one is missing. */
function otherReading(
  segment: Segment,
  bindings: Readonly<Record<string, string>>,
): string | undefined {
  if (segment.kind !== 'parts') return undefined
  const values = segment.names.map((name) => bindings[name])
  if (values.includes(undefined)) return undefined
  const text = segment.texts.map((each, index) => each + (values[index] ?? '')).join('')
  const read = partsIn(segment, text)
  const at = segment.names.findIndex((_, index) => read?.[index] !== values[index])
  return at < 0 ? undefined : `"${text}" is read with ${segment.names[at]} as "${read?.[at] ?? ''}"`
}

/** The names that a path needs values for. */
const neededBy = (segment: Segment): readonly string[] =>
  segment.kind === 'parts'
    ? segment.names
    : segment.kind === 'binding'
      ? [segment.name]
      : namesOf(segment)

/** As the gateway reads it back: true is a name without "=". */
function queryOf(written: JsonMap): string {
  const fields = Object.entries(written).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((each) => {
      const field = percentEncoded(name)
      return each === true ? field : `${field}=${percentEncoded(String(each))}`
    })
  })
  return fields.join('&')
}
