/** The responses of an operation: what it answers to a success, and the errors that its route can answer. */
import { STATUS_CODES } from 'node:http'
import type { ActionKind } from '#component/action/kind.ts'
import { actionKinds } from '#component/action/kinds.ts'
import { statusOfError } from '#component/errors.ts'
import {
  type ActionPlan,
  type CompiledOperation,
  kindsOf,
  plansOf,
} from '#component/gateway/api.ts'
import { bodyMethods } from '#component/gateway/checks.ts'
import { inForce, policyKinds } from '#component/policies/kinds.ts'
import type { Method } from '#component/request.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Authored } from './authored.ts'
import { type ActionErrorBody, contentOf, type ErrorParts, type Responses } from './error-parts.ts'
import { type ShownExamples, withExamples } from './examples.ts'
import { type ResponseParts, withPolicies } from './policy-responses.ts'
import { published } from './references.ts'
import { headersOf, headersOfAuthor } from './response-headers.ts'
import { withStreams } from './stream-responses.ts'

/** @param method of the operation; HEAD has no content */
export function responsesOf(
  operation: CompiledOperation,
  method: Method,
  authored: Authored,
  parts: ResponseParts,
  examples?: ShownExamples['responses'],
): Responses {
  const { errors } = parts
  const success = withStreams(successOf(operation, method, authored), operation)
  const { default: _others, ...known } = success
  const declared = { ...success, ...errorsOf(operation, method, authored, errors), ...known }
  if (operation.websocket && method === 'get') Object.assign(declared, switched)
  const derived = withPolicies(declared, operation, method, parts)
  const described = withAuthored(derived, operation, authored, errors)
  const [first] = Object.keys(success)
  const responses = examples ? exemplified(described, examples, errors, first) : described
  if (method !== 'head') return responses
  const entries = Object.entries(responses)
  return Object.fromEntries(entries.map(([status, { content: _, ...rest }]) => [status, rest]))
}

/** The answer to an opening handshake (RFC 6455 §4.2.2). */
const switched: Responses = {
  101: {
    description: 'A WebSocket, where the request asks for one.',
    headers: {
      Upgrade: { description: 'The protocol.', schema: { type: 'string', const: 'websocket' } },
    },
  },
}

/** Puts each example at its status, or at the range that the status is in. */
function exemplified(
  responses: Responses,
  examples: ShownExamples['responses'],
  parts: ErrorParts,
  success = 'default',
): Responses {
  const result = { ...responses }
  for (const [status, shown] of examples) {
    const range = `${status.charAt(0)}XX`
    const keys = status === 'success' ? [success] : [status, range, 'default']
    const key = keys.find((one) => Object.hasOwn(responses, one))
    const response = parts.inlined((key && result[key]) || {})
    if (key === undefined || response.content === undefined) continue
    result[key] = { ...response, content: withExamples(response.content, shown) }
  }
  return result
}

const descriptionOf = (status: string): string =>
  STATUS_CODES[status] ?? (status === '2XX' ? 'A success.' : 'Another response.')

const noContentMethods = new Set<Method>(['post', 'put', 'patch', 'delete'])

/** The answer to a success, by the rules of its status (behaviour §4). */
function successOf(
  operation: CompiledOperation,
  method: Method,
  { resultSchema }: Authored,
): Responses {
  const { action, on_result } = operation
  const { status, body, uri } = on_result
  const isPassedOn = action.kind.passesOn && body === undefined
  const isEmpty = isPassedOn ? false : isEmptyAnswer(operation)
  const code =
    typeof status === 'number'
      ? String(status)
      : status !== undefined
        ? '2XX'
        : method === 'post' && uri !== undefined
          ? '201'
          : action.kind.passesOn
            ? '2XX'
            : isEmpty && noContentMethods.has(method)
              ? '204'
              : '200'
  const hasContent = !isEmpty && code !== '204' && code !== '304'
  const schema = published(resultSchema) ?? {}
  const content = hasContent && contentOf(typesOfAnswer(operation, isPassedOn), () => schema)
  const headers = headersOf(operation)
  const response = {
    description: descriptionOf(code),
    ...(headers && { headers }),
    ...(content && { content }),
  }
  const isComputed = typeof status === 'object'
  return { [code]: response, ...(isComputed && { default: { description: 'Another response.' } }) }
}

/** Whether the answer never has a body. */
function isEmptyAnswer({ action, on_result: { body } }: CompiledOperation): boolean {
  if (body !== undefined) return body.kind === 'constant' && body.value === ''
  if (!action.kind.answers) return true
  if (action.kind.answers === 'computed') return false
  const { fixed, computedNames } = action
  return !computedNames.has('body') && (fixed.body === undefined || fixed.body === '')
}

/** The media types of a success. */
function typesOfAnswer(
  { negotiated, inherited, on_result }: CompiledOperation,
  isPassedOn: boolean,
): readonly string[] {
  const declared = on_result.headers['content-type']
  if (isPassedOn && !inherited.declares.provides) return [declared ?? '*/*']
  if (negotiated) return negotiated
  const isComputed = on_result.layers.some(
    ({ computed, whole }) => whole || computed.some(([name]) => name === 'content-type'),
  )
  if (isComputed) return ['*/*']
  return declared === undefined ? inherited.provides : [declared]
}

/** The media types of an error that the author describes. */
const dataTypesOf = ({ inherited }: CompiledOperation): readonly string[] =>
  inherited.errorTypes.filter((type) => type !== 'application/problem+json')

/** What the expressions of an operation fail with. */
const expressionErrors = new Set([
  'service.error.http_gateway.invalid_expression',
  'service.error.http_gateway.invalid_request',
])

/** The errors that the route can answer. */
function errorsOf(
  operation: CompiledOperation,
  method: Method,
  authored: Authored,
  parts: ErrorParts,
): Responses {
  const { errorTypes } = operation.inherited
  const ofGateway = parts.ofGateway(errorTypes)
  const errors: Responses = {}
  const add = (statuses: Iterable<string>, response: JsonMap): void => {
    for (const status of statuses) {
      errors[status] = { ...response, description: descriptionOf(status) }
    }
  }
  add(gatewayStatuses(operation, method, authored), ofGateway)
  const statuses = actionStatuses(operation)
  if (statuses.size === 0) return errors
  const body = bodyOfError(operation, authored)
  // an expression fails as the gateway does, unless on_error declares a body
  const isOfGateway = body === 'undeclared' && !isAny(operation, reaches)
  add(statuses, isOfGateway ? ofGateway : parts.ofAction(errorTypes, body))
  if (isAny(operation, passesOn) && operation.on_error.body === undefined) {
    errors.default = { description: 'The response of the upstream.' }
  }
  return errors
}

const reaches = (kind: ActionKind): boolean => kind.reaches !== undefined
const isWamp = (kind: ActionKind): boolean => kind.reaches?.by === 'wamp'
const passesOn = (kind: ActionKind): boolean => kind.passesOn

const isAny = (operation: CompiledOperation, is: (kind: ActionKind) => boolean): boolean =>
  kindsOf(operation).some(is)

function bodyOfError({ on_error }: CompiledOperation, { errorSchema }: Authored): ActionErrorBody {
  if (errorSchema !== undefined) return { schema: published(errorSchema) }
  return on_error.body === undefined ? 'undeclared' : 'any'
}

/** The statuses of refusals before the action runs. */
function gatewayStatuses(
  operation: CompiledOperation,
  method: Method,
  { request }: Authored,
): ReadonlySet<string> {
  const { inherited, negotiated, readsBody, checksType } = operation
  const { protection, admitsHttp, allowFrom } = inherited
  const statuses = new Set<string>()
  const takesBody = readsBody || bodyMethods.has(method)
  const isPerformed = isAny(operation, reaches)
  const rows: readonly (readonly [isAnswered: boolean, ...statuses: readonly string[]])[] = [
    [takesBody, '400', '408', '413'],
    [Object.keys(request).length > 0, '400'],
    [protection !== undefined, '401', '403', '429'],
    [!admitsHttp || allowFrom !== undefined, '403'],
    [protection !== undefined, ...(protection?.kind.statuses ?? [])],
    [negotiated !== undefined, '406'],
    [checksType && bodyMethods.has(method), '415'],
    [isPerformed, '503', '504'],
    [operation.streams?.kind === 'events', '400', '429'],
    [operation.websocket !== undefined && method === 'get', '400', '403', '426', '429'],
    [plansOf(operation).some(({ computed }) => computed.length > 0), '500'],
  ]
  for (const [isAnswered, ...some] of rows)
    if (isAnswered) for (const status of some) statuses.add(status)
  return statuses
}

/** What actions fail with under policies that do not hold, and where they name no target. */
function errorsOfOthers(operation: CompiledOperation): readonly string[] {
  const { inherited } = operation
  const kinds: readonly unknown[] = inForce(inherited.policies).map(([kind]) => kind)
  const errors: readonly string[] = policyKinds
    .filter((kind) => !kinds.includes(kind))
    .flatMap(({ actionErrors }) => actionErrors)
  const isNamed = ({ kind, fixed }: ActionPlan, field: string) =>
    kind.reaches?.named?.field === field && fixed[field] !== undefined
  const names = actionKinds.flatMap(({ reaches }) => reaches?.named ?? [])
  const others = names.filter(({ field }) => !plansOf(operation).some((one) => isNamed(one, field)))
  return [...errors, ...others.flatMap((one) => one.errors)]
}

/** The statuses of a failed action or expression. */
function actionStatuses(operation: CompiledOperation): ReadonlySet<string> {
  const { on_error, status_codes } = operation
  const isOfWamp = isAny(operation, isWamp)
  const isForward = isAny(operation, passesOn)
  const own = plansOf(operation).flatMap(({ kind, fixed }) => kind.errorsOf(fixed))
  if (!isOfWamp && !isForward && own.length === 0 && !isComputed(operation)) return new Set()
  if (typeof on_error.status === 'number') return new Set([String(on_error.status)])
  if (on_error.status !== undefined) return new Set(['default'])
  const statuses = new Set<string>(isOfWamp ? ['500'] : [])
  const foreign = errorsOfOthers(operation)
  for (const [uri, status] of status_codes) {
    if (foreign.includes(uri)) continue
    const canBe =
      isOfWamp || expressionErrors.has(uri) || (isForward && !uri.startsWith('wamp.error.'))
    if (canBe) statuses.add(String(status))
  }
  for (const uri of own) statuses.add(String(status_codes.get(uri) ?? statusOfError(uri)))
  return statuses
}

/** Whether an expression of the operation is evaluated for each request. */
function isComputed(operation: CompiledOperation): boolean {
  const { on_result } = operation
  const { body, layers, uri, status } = on_result
  const values = [body, uri?.node, typeof status === 'object' ? status.node : undefined]
  return (
    plansOf(operation).some(({ computed }) => computed.length > 0) ||
    layers.length > 0 ||
    values.some((node) => node !== undefined && node.kind !== 'constant')
  )
}

/** Lays what the author says over what is derived. */
function withAuthored(
  derived: Responses,
  operation: CompiledOperation,
  { responses }: Authored,
  parts: ErrorParts,
): Responses {
  const merged = { ...derived }
  for (const [status, told] of Object.entries(responses)) {
    if (!isMap(told)) continue
    const { description, schema, headers } = told
    const known = derived[status]
    const isSuccess = status.startsWith('2') || status.startsWith('3')
    const content =
      schema === undefined
        ? contentOfKnown(known, isSuccess, operation, parts)
        : contentOf(isSuccess ? typesOfAnswer(operation, false) : dataTypesOf(operation), () =>
            published(schema),
          )
    const derivedHeaders = known && (parts.inlined(known).headers as JsonMap)
    const allHeaders = { ...derivedHeaders, ...headersOfAuthor(headers) }
    merged[status] = {
      description: typeof description === 'string' ? description : descriptionOf(status),
      ...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }),
      ...(content !== undefined && { content }),
    }
  }
  return merged
}

/** The content of a response that only gets a description. */
function contentOfKnown(
  known: JsonMap | undefined,
  isSuccess: boolean,
  { inherited, on_error }: CompiledOperation,
  parts: ErrorParts,
): unknown {
  if (known?.$ref === undefined && (known || isSuccess)) return known?.content
  return parts.contentOf(inherited.errorTypes, on_error.body === undefined ? 'undeclared' : 'any')
}
