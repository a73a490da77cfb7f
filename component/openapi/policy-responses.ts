/** What the policies of an operation add to its responses: refusals, conditional requests, and their headers. */
import { STATUS_CODES } from 'node:http'
import { type CompiledOperation, kindsOf } from '#component/gateway/api.ts'
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
  Age: header('integer', 'Seconds since the answer was made, where it is a kept one.', 12),
  'Cache-Status': header(
    'string',
    'Whether the answer is a kept one (RFC 9211).',
    'wamp-gateway; hit; ttl=48',
  ),
}
type Field = keyof typeof fields

type Policies = NonNullable<CompiledOperation['inherited']['policies']>
type Limits = readonly NonNullable<Policies['limits'] | Policies['quotas']>[number][]

/** Whether a request with `If-None-Match` may be answered with 304. */
export const answersConditions = (
  { inherited: { policies }, streams }: CompiledOperation,
  method: Method,
): boolean => policies?.etag === true && isRead(method) && streams?.kind !== 'events'

const isRead = (method: Method): boolean => method === 'get' || method === 'head'

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
  const { cache } = policies
  const isKept = cache !== undefined && isRead(method) && operation.streams === undefined
  const kept = (status: string): readonly Field[] =>
    isKept && cache.statuses.has(status === '2XX' ? 200 : Number(status))
      ? ['Age', 'Cache-Status']
      : []
  const hasKeys = idempotencyOf(operation.inherited, method) !== undefined
  const limits = [...(policies.limits ?? []), ...(policies.quotas ?? [])]
  const told: readonly Field[] = limits.some(isTold) ? ['RateLimit-Policy', 'RateLimit'] : []
  const tagged: readonly Field[] = answersConditions(operation, method) ? ['ETag'] : []
  const result: Responses = {}
  for (const [status, response] of Object.entries(derived)) {
    const names = isTagged(status) ? [...tagged, ...told] : /^[23]/.test(status) ? told : []
    const all = [...names, ...kept(status)]
    const own = all.length > 0 ? parts.errors.inlined(response) : response
    result[status] = withHeaders(own, parts.headers, all)
  }
  if (tagged.length > 0 && Object.keys(derived).some(isTagged)) {
    const notModified = { description: STATUS_CODES[304] }
    result[304] ??= withHeaders(notModified, parts.headers, [...tagged, ...told, ...kept('200')])
  }
  return {
    ...result,
    ...(hasKeys && keyRefusals(result, operation, parts)),
    ...(isKept && ofGateway(['504'], derived, operation, parts)),
    ...(policies.breaker && circuitRefusal(derived, operation, parts)),
    ...refusalsOf(limits, derived, operation, parts, ['Retry-After', ...told]),
  }
}

/** Errors of the gateway, unless the responses have the statuses. */
function ofGateway(
  statuses: readonly string[],
  derived: Responses,
  { inherited: { errorTypes } }: CompiledOperation,
  { errors }: ResponseParts,
): Responses {
  const added = statuses.map((status) => {
    const own = { ...errors.ofGateway(errorTypes), description: STATUS_CODES[status] }
    return [status, derived[status] ?? own]
  })
  return Object.fromEntries(added)
}

/** An error of the gateway with headers; where the action fails with the same status, that is kept. */
function refusal(
  status: string,
  derived: Responses,
  { inherited: { errorTypes } }: CompiledOperation,
  { errors, headers }: ResponseParts,
  names: readonly Field[],
): Responses {
  const plain = errors.ofGateway(errorTypes)
  const { description = STATUS_CODES[status], ...known } = derived[status] ?? plain
  const refused =
    known.$ref === plain.$ref
      ? errors.withHeaders(names.join(), errorTypes, referencesTo(names, headers))
      : withHeaders(errors.inlined(known), headers, names)
  return { [status]: { ...refused, description } }
}

/** The answers to a malformed Idempotency-Key, and to one that another request has. */
const keyRefusals = (
  derived: Responses,
  operation: CompiledOperation,
  parts: ResponseParts,
): Responses => ({
  ...ofGateway(['400', '422', '503'], derived, operation, parts),
  ...refusal('409', derived, operation, parts, ['Retry-After']),
})

/** The answer while the circuit of the action is open, where its status is known. */
function circuitRefusal(
  derived: Responses,
  operation: CompiledOperation,
  parts: ResponseParts,
): Responses {
  const { on_error, status_codes } = operation
  const hasCircuit = kindsOf(operation).some(({ reaches }) => reaches?.isGuarded)
  const status = on_error.status ?? status_codes.get('service.error.circuit_open') ?? 503
  if (!hasCircuit || typeof status !== 'number' || status < 400) return {}
  return refusal(String(status), derived, operation, parts, ['Retry-After'])
}

/** The statuses of answers that have an ETag. */
const isTagged = (status: string): boolean => status === '200' || status === '2XX'

const isTold = ({ mode, hasHeaders }: Limits[number]): boolean => mode === 'enforce' && hasHeaders

/** The answers of limits that refuse, and of those whose expressions fail. */
function refusalsOf(
  limits: Limits,
  derived: Responses,
  operation: CompiledOperation,
  parts: ResponseParts,
  names: readonly Field[],
): Responses {
  const isComputed = limits.some(
    ({ per, cost }) => typeof per === 'object' || typeof cost === 'object',
  )
  const refuses = limits.some(({ mode }) => mode === 'enforce')
  return {
    ...(isComputed && ofGateway(['400', '500'], derived, operation, parts)),
    ...(refuses && refusal('429', derived, operation, parts, names)),
  }
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
