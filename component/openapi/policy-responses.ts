/** What the policies of an operation add to its responses: refusals, conditional requests, and their headers. */
import { STATUS_CODES } from 'node:http'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Field, PolicyAnswers } from '#component/policies/answers.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { Method } from '#component/request.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { ErrorParts, Responses } from './error-parts.ts'
import type { NamedParts } from './named-parts.ts'

/** What each policy of an operation adds to its description. */
export const policyAnswers = (
  operation: CompiledOperation,
  method: Method,
): readonly PolicyAnswers[] =>
  inForce(operation.inherited.policies).map(([kind, plan]) =>
    kind.describe(plan, operation, method),
  )

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
  const all = policyAnswers(operation, method)
  if (all.length === 0) return derived
  const fieldsOf = (status: string): readonly Field[] =>
    all.flatMap(({ fields }) => fields?.(status) ?? [])
  const result: Responses = {}
  for (const [status, response] of Object.entries(derived)) {
    const fields = fieldsOf(status)
    const own = fields.length > 0 ? parts.errors.inlined(response) : response
    result[status] = withHeaders(own, parts.headers, fields)
  }
  for (const { inPlace } of all) {
    const [like] = inPlace?.of ?? []
    if (inPlace === undefined || like === undefined) continue
    const { status, of, hasContent } = inPlace
    const replaced = Object.keys(derived).find((one) => of.includes(one))
    if (replaced === undefined) continue
    const response = { ...(hasContent && derived[replaced]), description: STATUS_CODES[status] }
    const fields = [...fieldsOf(like), ...fieldsOf(status)]
    result[status] ??= withHeaders(response, parts.headers, fields)
  }
  const { errorTypes } = operation.inherited
  for (const status of all.flatMap(({ errors = [] }) => errors)) {
    result[status] ??= {
      ...parts.errors.ofGateway(errorTypes),
      description: STATUS_CODES[status],
    }
  }
  const refused = Object.groupBy(
    all.flatMap(({ refusals = {} }) => Object.entries(refusals)),
    ([status]) => status,
  )
  for (const [status, each = []] of Object.entries(refused)) {
    const fields = each.flatMap(([, some]) => some)
    result[status] = refusal(derived[status], status, errorTypes, parts, fields)
  }
  return result
}

/** An error of the gateway with headers; where the action fails with the same status, that is kept. */
function refusal(
  derived: JsonMap | undefined,
  status: string,
  errorTypes: readonly string[],
  { errors, headers }: ResponseParts,
  fields: readonly Field[],
): JsonMap {
  const plain = errors.ofGateway(errorTypes)
  const { description = STATUS_CODES[status], ...known } = derived ?? plain
  const names = unique(fields).map(({ name }) => name)
  const refused =
    known.$ref === plain.$ref
      ? errors.withHeaders(names.join(), errorTypes, referencesTo(fields, headers))
      : withHeaders(errors.inlined(known), headers, fields)
  return { ...refused, description }
}

/** Two policies may send the same field. */
const unique = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ name }, index) => fields.findIndex((one) => one.name === name) === index)

const referencesTo = (fields: readonly Field[], headers: NamedParts): JsonMap =>
  Object.fromEntries(
    unique(fields).map(({ name, header }) => {
      const key = headers.nameOf(name, header)
      return [name, { $ref: `#/components/headers/${key}` }]
    }),
  )

/** What the response says of a header holds. */
function withHeaders(response: JsonMap, headers: NamedParts, fields: readonly Field[]): JsonMap {
  const known = Object.keys((response.headers ?? {}) as JsonMap).map((name) => name.toLowerCase())
  const others = fields.filter(({ name }) => !known.includes(name.toLowerCase()))
  if (others.length === 0) return response
  return {
    ...response,
    headers: { ...referencesTo(others, headers), ...(response.headers as JsonMap) },
  }
}
