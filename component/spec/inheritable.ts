/** The rules of what lower levels inherit: the keys of operations, paths and `defaults`, and the maps that merge. */

import { maxBodyKeys } from '#component/codec/limits.ts'
import { policyRules } from '#component/policies/kinds.ts'
import { errors } from './errors-rule.ts'
import {
  allowFrom,
  attempts,
  headers,
  mediaTypes,
  milliseconds,
  schemes,
  statusCode,
} from './http-rules.ts'
import { level } from './levels.ts'
import { multipart } from './multipart-rule.ts'
import { validationMode } from './request-rules.ts'
import { dynamic, integer, map, mapOf, oneOf } from './rules.ts'
import { security } from './security-rules.ts'
import { trace } from './trace-rule.ts'

const maxInteger = Number.MAX_SAFE_INTEGER

/** Keys of operations, paths and `defaults` (behaviour: Priority of a value). */
export const inheritable = {
  ...attempts,
  trace,
  schemes,
  accepts: mediaTypes,
  provides: mediaTypes,
  security,
  allow_from: allowFrom,
  body_max_bytes: dynamic(integer(0, maxInteger, ' of bytes')),
  body_max_keys: dynamic(integer(1, maxBodyKeys)),
  multipart,
  body_read_bytes: dynamic(integer(1, maxInteger, ' of bytes')),
  body_read_seconds: milliseconds,
  validate_requests: validationMode,
  validate_responses: validationMode,
  ...policyRules,
  errors,
}

/** Keys of paths and `defaults`: how the path of a request is read, and passed on. */
export const ofPaths = {
  escaped_slashes: dynamic(oneOf(['refuse', 'keep'])),
  final_slash: dynamic(oneOf(['keep', 'drop'])),
}

const defaultsObject = level(
  'defaults',
  { keys: { ...inheritable, ...ofPaths, headers } },
  'a map of defaults',
)

/** The maps that merge from API to version, path and operation; `defaults` may be computed as a whole. */
export const scopes = {
  variables: map,
  defaults: dynamic(defaultsObject),
  status_codes: mapOf(statusCode, 'a map of error URIs to HTTP statuses'),
}
