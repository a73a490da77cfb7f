/** The request target of a forward: path and query, checked before anything is sent (behaviour §4, reliability §2). */
import { ServiceError } from '#component/errors.ts'
import { inPath, mayStand } from '#component/syntax/request-target.ts'
import type { ActionFields, Run } from './action.ts'
import { FieldError } from './field-error.ts'
import { isDotSegment } from './url-value.ts'

const isControl = (code: number): boolean => code < 32 || code === 127

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)

/** Whether a character stays as it is: `?` does, `%` only where it begins an escape. */
function isPlain(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  if (code === 37) return isHex(text.charCodeAt(index + 1)) && isHex(text.charCodeAt(index + 2))
  return code === 63 || mayStand(code, inPath)
}

/** Escapes characters that a target must not contain; FieldError for controls. Most targets need no escape. */
function escapeTarget(text: string, name: string): string {
  let isWhole = true
  for (let index = 0; index < text.length; index += 1) {
    if (isPlain(text, index)) continue
    isWhole = false
    if (isControl(text.charCodeAt(index)))
      throw new FieldError([name], 'a text without control characters')
  }
  if (isWhole) return text
  if (!text.isWellFormed()) throw new FieldError([name], 'valid Unicode')
  let target = ''
  let index = 0
  for (const character of text) {
    target += isPlain(text, index) ? character : encodeURIComponent(character)
    index += character.length
  }
  return target
}

/** A quick test: most targets cannot contain a dot segment and are not split. */
const mayHoldDots = (target: string): boolean => target.includes('/.') || target.includes('/%2')

const hasDotSegment = (target: string): boolean =>
  target.split('?', 1).join().split('/').some(isDotSegment)

function readText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new FieldError([name], 'a text')
}

/**
 * Path and query of an upstream request. Blanks and letters beyond ASCII are sent as escapes; values of the request are
 * escaped already. FieldError: no single `/` at the beginning, or a control character. ServiceError 400: a computed
 * path with a `..` segment.
 */
export function readTarget(fields: ActionFields, { computed, request }: Run): string {
  const path = fields.path === undefined ? request.path || '/' : readText(fields.path, 'path')
  const isComputed = fields.path === undefined || computed.has('path')
  if (path.charCodeAt(0) !== 47 || path.charCodeAt(1) === 47 || path.charCodeAt(1) === 92) {
    throw new FieldError(['path'], 'a text that begins with a single "/"')
  }
  const target = escapeTarget(path, 'path')
  if (isComputed && mayHoldDots(target) && hasDotSegment(target)) {
    throw new ServiceError('service.error.bad_request', 'path: a dot segment is not forwarded')
  }
  const query = fields.query_string
    ? readText(fields.query_string, 'query_string')
    : fields.query_string === undefined
      ? request.query_string
      : ''
  if (query === '') return target
  const text = escapeTarget(query.startsWith('?') ? query.slice(1) : query, 'query_string')
  return `${target}${target.includes('?') ? '&' : '?'}${text}`
}
