/** What the policies of an operation add to its responses: refusals, conditional requests, and their headers. */
import { STATUS_CODES } from 'node:http'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { idempotencyOf } from '#component/gateway/checks.ts'
import type { Method } from '#component/request.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { ErrorParts, Responses } from './error-parts.ts'
import type { NamedParts } from './named-parts.ts'

const header = (type: 'string' | 'integer', description: string, example: unknown): JsonMap => ({
  description,
  schema: { type },
  example,
})

/** Header Objects by the name of the field. */
const fields = {
  'Retry-After': header('integer', 'Seconds until a request can be served again.', 3),
  'RateLimit-Policy': header(
    'string',
    'The limits of the operation: q requests in w seconds (draft-ietf-httpapi-ratelimit-headers).',
    '"burst";q=20;w=1, "minute";q=300;w=60',
  ),
  RateLimit: header(
    'string',
    'The limit that is nearest to its end: r requests are left, and in t seconds all are there again.',
    '"minute";r=120;t=36',
  ),
  ETag: header(
    'string',
    'Names the content of the answer. A request that sends it as If-None-Match gets 304 for equal content.',
    '"i8FVjrN2mG4kYwT7VbQ1Zg"',
  ),
}
type Field = keyof typeof fields

type Policies = NonNullable<CompiledOperation['inherited']['policies']>
type Limits = NonNullable<Policies['limits']>

/** Whether a request with `If-None-Match` may be answered with 304. */
export const answersConditions = (
  { inherited: { policies }, streams }: CompiledOperation,
  method: Method,
): boolean =>
  policies?.etag === true && (method === 'get' || method === 'head') && streams?.kind !== 'events'

/** Where the parts are that responses share. */
export interface ResponseParts {
  readonly errors: ErrorParts
  readonly headers: NamedParts
}

/** @param derived the responses without policies; what they say of a header holds */
export function withPolicies(
  derived: Responses,
  operation: CompiledOperation,
  method: Method,
  parts: ResponseParts,
): Responses {
  const { policies } = operation.inherited
  if (policies === undefined) return derived
  const { limits = [] } = policies
  const hasKeys = idempotencyOf(operation.inherited, method) !== undefined
  const told: readonly Field[] = limits.some(isTold) ? ['RateLimit-Policy', 'RateLimit'] : []
  const tagged: readonly Field[] = answersConditions(operation, method) ? ['ETag'] : []
  const result: Responses = {}
  for (const [status, response] of Object.entries(derived)) {
    const names = isTagged(status) ? [...tagged, ...told] : /^[23]/.test(status) ? told : []
    result[status] = withHeaders(response, parts.headers, names)
  }
  if (tagged.length > 0 && Object.keys(derived).some(isTagged)) {
    const notModified = { description: STATUS_CODES[304] }
    result[304] ??= withHeaders(notModified, parts.headers, [...tagged, ...told])
  }
  return {
    ...result,
    ...(hasKeys && keyRefusals(result, operation, parts)),
    ...refusalsOf(limits, derived, operation, parts, ['Retry-After', ...told]),
  }
}

/** The answers to a malformed Idempotency-Key, and to one that another request has. */
function keyRefusals(
  derived: Responses,
  { inherited: { errorTypes } }: CompiledOperation,
  { errors, headers }: ResponseParts,
): Responses {
  const ofGateway = errors.ofGateway(errorTypes)
  const names: readonly Field[] = ['Retry-After']
  const conflict = derived[409]
    ? withHeaders(errors.inlined(derived[409]), headers, names)
    : errors.withHeaders(names.join(), errorTypes, referencesTo(names, headers))
  const others = ['400', '422', '503'].map((status) => [
    status,
    derived[status] ?? { ...ofGateway, description: STATUS_CODES[status] },
  ])
  return { ...Object.fromEntries(others), 409: { description: STATUS_CODES[409], ...conflict } }
}

/** The statuses of answers that have an ETag. */
const isTagged = (status: string): boolean => status === '200' || status === '2XX'

const isTold = ({ mode, hasHeaders }: Limits[number]): boolean => mode === 'enforce' && hasHeaders

/** The answers of limits that refuse, and of those whose expressions fail. */
function refusalsOf(
  limits: Limits,
  derived: Responses,
  { inherited: { errorTypes } }: CompiledOperation,
  { errors, headers }: ResponseParts,
  names: readonly Field[],
): Responses {
  const ofGateway = errors.ofGateway(errorTypes)
  const refusals: Responses = {}
  if (limits.some(({ per, cost }) => typeof per === 'object' || typeof cost === 'object')) {
    for (const status of ['400', '500']) {
      refusals[status] = derived[status] ?? { ...ofGateway, description: STATUS_CODES[status] }
    }
  }
  if (limits.some(({ mode }) => mode === 'enforce')) {
    const { description = STATUS_CODES[429], ...known } = derived[429] ?? ofGateway
    const isShared = known.$ref === ofGateway.$ref
    const refused = isShared
      ? errors.withHeaders(names.join(), errorTypes, referencesTo(names, headers))
      : withHeaders(errors.inlined(known), headers, names)
    refusals[429] = { ...refused, description }
  }
  return refusals
}

const referencesTo = (names: readonly Field[], headers: NamedParts): JsonMap =>
  Object.fromEntries(
    names.map((name) => {
      const key = headers.nameOf(name, fields[name])
      return [name, { $ref: `#/components/headers/${key}` }]
    }),
  )

/** What the response says of a header holds. */
function withHeaders(response: JsonMap, headers: NamedParts, names: readonly Field[]): JsonMap {
  const known = Object.keys((response.headers ?? {}) as JsonMap).map((name) => name.toLowerCase())
  const others = names.filter((name) => !known.includes(name.toLowerCase()))
  if (others.length === 0) return response
  return {
    ...response,
    headers: { ...referencesTo(others, headers), ...(response.headers as JsonMap) },
  }
}
