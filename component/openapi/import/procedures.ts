/** Imported operations the other way round: what they would call, a document registers, and the HTTP service that OpenAPI describes handles the calls. */
import { pointer } from '#component/codec/json.ts'
import { methods } from '#component/request.ts'
import { formOf, formType, isRange } from '#component/syntax/media-type.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import type { Losses } from './losses.ts'
import { mapped, originOf } from './origins.ts'
import { quoted } from './quoted.ts'
import { pathOfBindings, withoutSlash } from './target.ts'

const ofCall = 'invocation.kwargs'

/**
 * The procedures that a document registers, by URI: each takes the arguments that the imported operation would call it with, and
 * header fields as further kwargs.
 * @param byPattern the paths of an import that calls procedures
 * @param service the URL in place of the server that the document names
 * @param shared the security of operations that declare none
 */
export function proceduresOf(
  byPattern: JsonMap,
  service: URL,
  shared: JsonMap | undefined,
  losses: Losses,
): Record<string, unknown> {
  const procedures: Record<string, unknown> = {}
  for (const [pattern, path] of Object.entries(byPattern)) {
    for (const method of methods) {
      const operation = memberOf(path, method)
      if (!isMap(operation)) continue
      const at = originOf(byPattern, pointer('', pattern, method))
      const uri = memberOf(operation.action, 'procedure')
      const problem =
        typeof uri !== 'string'
          ? 'it calls no procedure: it is left out'
          : Object.hasOwn(procedures, uri)
            ? `another operation is the procedure ${uri}: this one is left out`
            : bodyProblem(operation)
      const { security = shared, is_deprecated } = operation
      if (security !== undefined && Object.keys(asMap(security)).length > 0)
        losses.tell(pointer(at, 'security'), wantsCredentials)
      if (is_deprecated === true)
        losses.tell(pointer(at, 'deprecated'), 'procedures do not tell it')
      if (problem !== undefined) losses.tell(at, problem)
      else {
        const request = { ...asMap(memberOf(path, 'request')), ...asMap(operation.request) }
        const parts = {
          pattern,
          method,
          operation,
          request,
          prefix: withoutSlash(service.pathname),
        }
        setOwn(procedures, String(uri), mapped(procedureOf(parts), at))
      }
    }
  }
  return procedures
}

interface Parts {
  readonly pattern: string
  readonly method: string
  readonly operation: JsonMap
  /** Schemas of the operation and of its path. */
  readonly request: JsonMap
  /** Of the paths of the service, without a slash at the end. */
  readonly prefix: string
}

const wantsCredentials =
  'the service wants credentials: headers of the action, or an upstream of the realm, must send them'

const asMap = (value: unknown): JsonMap => (isMap(value) ? value : {})

/** The one type that bodies are sent in; undefined: JSON. */
function typeOf({ accepts }: JsonMap): string | undefined {
  const types = Array.isArray(accepts) ? accepts.map(String) : []
  const known = types.filter((type) => formOf(type) !== 'multipart')
  const type = known.find((each) => !isRange(each)) ?? known[0] ?? types[0]
  if (type === undefined || types.includes('application/json')) return undefined
  return isRange(type) ? 'application/octet-stream' : type
}

/** Why a procedure cannot send the body of an operation; undefined: it can. */
function bodyProblem(operation: JsonMap): string | undefined {
  const type = typeOf(operation)
  const isSent = type === undefined || type === formType || formOf(type) !== 'multipart'
  return isSent ? undefined : `a forward makes no body of the type ${type}: it is left out`
}

function procedureOf({ pattern, method, operation, request, prefix }: Parts): JsonMap {
  const { path, names } = pathOfBindings(pattern, ofCall)
  const query = Object.keys(asMap(memberOf(request.query_params, 'properties')))
  const fields = asMap(memberOf(request.headers, 'properties'))
  const needed = new Set(requiredOf(request.headers))
  const headers = Object.keys(fields).map((name) => [
    name,
    needed.has(name)
      ? `{{${ofCall} |> get(${quoted(name)})}}`
      : // a field that is empty is not sent
        `{{${ofCall} |> get(${quoted(name)}, '')}}`,
  ])
  const type = typeOf(operation)
  const hasBody = request.body !== undefined
  if (hasBody && type !== undefined) headers.push(['content-type', type])
  const { summary, description } = operation
  const input = inputOf(request, names)
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(Object.keys(input).length > 0 && { input }),
    action: {
      ...{ type: 'forward', host: '{{variables.upstream}}', http_method: method },
      path: prefix + path,
      ...(query.length > 0 && {
        query_string: `{{${ofCall} |> with([${query.map(quoted).join(', ')}]) |> url:form}}`,
      }),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      ...(hasBody && { body: '{{invocation.args |> head}}' }),
    },
  }
}

const requiredOf = (schema: unknown): readonly string[] => {
  const required = memberOf(schema, 'required')
  return Array.isArray(required) ? required.map(String) : []
}

/** The schemas of the arguments. @param bindings the names that the path needs */
function inputOf(request: JsonMap, bindings: readonly string[]): JsonMap {
  const parts = [request.headers, request.query_params, request.bindings]
  const properties: Record<string, unknown> = {}
  for (const name of bindings) setOwn(properties, name, {})
  for (const part of parts)
    for (const [name, schema] of Object.entries(asMap(memberOf(part, 'properties'))))
      setOwn(properties, name, schema)
  const required = [...new Set([...bindings, ...parts.flatMap(requiredOf)])]
  const isRequired = request.body_required !== false
  return {
    ...(request.body !== undefined && {
      args: {
        type: 'array',
        ...(isRequired && { minItems: 1 }),
        ...{ maxItems: 1, prefixItems: [request.body] },
      },
    }),
    ...(Object.keys(properties).length > 0 && {
      kwargs: { type: 'object', ...(required.length > 0 && { required }), properties },
    }),
  }
}
