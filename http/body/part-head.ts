/** The head of one part of multipart/form-data (RFC 7578): its name, and of a file the name and type that the client gives it. */
import { isUtf8 } from 'node:buffer'
import { make as headersParser } from 'multipasta/HeadersParser'
import { asBuffer } from '#component/codec/as-buffer.ts'
import { ServiceError } from '#component/errors.ts'
import { charsetOf, isUtf8Type } from '#component/syntax/media-type.ts'

/** One part, before its content. */
export interface PartHead {
  readonly name: string
  /** The last segment of the name of the file, without control characters; undefined: the part is a field. */
  readonly filename: string | undefined
  /** As the client writes it; undefined: it says none. */
  readonly contentType: string | undefined
}

export const malformed = (problem: string): ServiceError =>
  new ServiceError('service.error.bad_request', `the multipart body is malformed: ${problem}`)

/** One parameter (RFC 7578 §4.2): a token, or a text in quotes that ends at the next quote (WHATWG HTML, multipart/form-data encoding algorithm). */
const parameter = /;[ \t]*([a-z][\w-]*\*?)=(?:"([^"]*)"|([!#$%&'*+.^\w`|~-]+))/iy

/** What browsers escape in names, which they write in quotes (WHATWG HTML, multipart/form-data encoding algorithm). */
const unescaped = (text: string): string =>
  text.replaceAll('%22', '"').replaceAll(/%0a/gi, '\n').replaceAll(/%0d/gi, '\r')

/** The parameters of a disposition, by their names in lower case. */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = 'form-data'.length
  while (at < text.length) {
    parameter.lastIndex = at
    const match = parameter.exec(text)
    if (match === null) throw malformed('a Content-Disposition cannot be read')
    const [whole, name = '', quoted, token = ''] = match
    // readers disagree whether it ends the text
    if (quoted?.endsWith('\\')) throw malformed('a quote is escaped by a backslash')
    const key = name.toLowerCase()
    if (found.has(key)) throw malformed('a parameter of a Content-Disposition is repeated')
    found.set(key, quoted === undefined ? token : unescaped(quoted))
    at += whole.length
  }
  return found
}

/** RFC 8187: `UTF-8''`, and the name in percent-encoded UTF-8. */
function decodeExtended(text: string): string {
  const [charset = '', , encoded] = text.split("'")
  try {
    if (charset.toLowerCase() === 'utf-8' && encoded !== undefined)
      return decodeURIComponent(encoded)
  } catch {
    // the escapes are no UTF-8
  }
  throw malformed('filename* is not UTF-8')
}

/** The name of a file without its folders, which clients may invent. */
const lastSegment = (filename: string): string =>
  filename
    .slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
    .replaceAll(/[\0-\x1f\x7f]/g, '')

/** Encodings that change nothing (RFC 2045 §6.2); RFC 7578 §4.7 wants none at all. */
const plainEncodings: readonly unknown[] = ['7bit', '8bit', 'binary']

/** Half an end of a line. */
const loneBreak = /\r(?!\n)|(?<!\r)\n/

/**
 * Reads the head of a part.
 * @param block its header fields, with the empty line behind them
 * @throws ServiceError 400
 */
export function readPartHead(block: Uint8Array): PartHead {
  if (!isUtf8(block)) throw malformed('the head of a part is not UTF-8')
  const text = asBuffer(block).toString('latin1')
  if (loneBreak.test(text)) throw malformed('a line of a head has no proper end')
  const parsed = headersParser()(block, 0)
  if (parsed._tag !== 'Headers' || parsed.endPosition !== block.length) {
    throw malformed('the head of a part cannot be read')
  }
  const field = (name: string): string | undefined => {
    const value = parsed.headers[name]
    if (Array.isArray(value)) throw malformed(`a part has two fields ${name}`)
    return value?.trim()
  }
  const disposition = field('content-disposition')
  if (disposition === undefined || !/^form-data(?:;|$)/i.test(disposition)) {
    throw malformed('a part has no Content-Disposition of form-data')
  }
  const encoding = field('content-transfer-encoding')?.toLowerCase()
  if (encoding !== undefined && !plainEncodings.includes(encoding)) {
    throw malformed('a part has a Content-Transfer-Encoding')
  }
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (name === undefined) throw malformed('a part has no name')
  // some readers take two of them for one
  if (name.includes('\\\\')) throw malformed('a name has two backslashes in a row')
  // some readers take it for the name, and no browser sends it
  if (parameters.has('name*')) throw malformed('a part has a name*')
  const extended = parameters.get('filename*')
  const plain = parameters.get('filename')
  const contentType = field('content-type')
  const filename = plain ?? (extended && decodeExtended(extended))
  if (filename === undefined && contentType !== undefined && !isUtf8Type(contentType)) {
    throw malformed(`the charset of a field is ${charsetOf(contentType)}, not utf-8`)
  }
  return {
    name,
    filename: filename === undefined ? undefined : lastSegment(filename),
    contentType,
  }
}
