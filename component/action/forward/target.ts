/** The request target of a forward: path and query, checked before anything is sent (behaviour §4, reliability §2). */

import type { ActionFields, Run } from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import { ServiceError } from '#component/errors.ts'
import { encoderExcept } from '#component/syntax/percent-encoding.ts'
import { classOf, inPath } from '#component/syntax/request-target.ts'
import { isDotSegment } from './url-value.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are refused
const control = /[\0-\x1f\x7f]/

/** `?` stays: the text of a document may hold a query. */
const encodeInTarget = encoderExcept(`?${classOf(inPath)}`)

/** Escapes characters that a target must not contain; FieldError for controls. */
function escapeTarget(text: string, name: string): string {
  const target = encodeInTarget(text)
  if (target === undefined) throw new FieldError([name], 'valid Unicode')
  if (target !== text && control.test(text)) {
    throw new FieldError([name], 'a text without control characters')
  }
  return target
}

/** A quick test: most targets cannot contain a dot segment and are not split. */
const mayHoldDots = /\/(?:\.|%2)/

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
  const received = request.receivedPath ?? request.path
  const path = fields.path === undefined ? received || '/' : readText(fields.path, 'path')
  const isComputed = fields.path === undefined || computed.has('path')
  if (path.charCodeAt(0) !== 47 || path.charCodeAt(1) === 47 || path.charCodeAt(1) === 92) {
    throw new FieldError(['path'], 'a text that begins with a single "/"')
  }
  const target = escapeTarget(path, 'path')
  if (isComputed && mayHoldDots.test(target) && hasDotSegment(target)) {
    throw new ServiceError('service.error.bad_request', 'path: a dot segment is not forwarded')
  }
  const query = fields.query_string
    ? readText(fields.query_string, 'query_string')
    : fields.query_string === undefined
      ? request.query_string
      : ''
  if (query === '') return target
  const text = escapeTarget(query, 'query_string')
  return `${target}${target.includes('?') ? '&' : '?'}${text}`
}
