/** Operations of OpenAPI as operations of an API Specification: what they ask for, do and answer. */
import { actionKinds, kindOf } from '#component/action/kinds.ts'
import { pointer } from '#component/codec/json.ts'
import { rolesKey, withoutRoles } from '#component/security/required-roles.ts'
import { multipartType } from '#component/syntax/media-type.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { type Content, readContent, withExamples } from './contents.ts'
import { type Extension, extensionOf } from './extension.ts'
import { mapped } from './origins.ts'
import { type Parameter, requestOf } from './parameters.ts'
import type { Part } from './part.ts'
import { quoted } from './quoted.ts'
import { noSuchStatus, type Responses, readResponses } from './responses.ts'
import type { Schemas } from './schemas.ts'
import type { Security } from './security.ts'
import type { Place, Source } from './source.ts'
import type { Target } from './target.ts'

/** What is known where an operation is read. */
export interface Surroundings {
  readonly source: Source
  readonly schemas: Schemas
  readonly security: Security
  readonly target: Target
  readonly part: Part
  /** Where the operations of each procedure stand. */
  readonly procedures: Map<string, string>
  /** Those that operations have so far. */
  readonly operationIds: Set<string>
}

/** An operation of a path. */
export interface Found {
  readonly place: Place
  readonly method: string
  /** As OpenAPI writes it, and as a pattern. */
  readonly template: string
  readonly pattern: string
  /** Own and those of the path. */
  readonly parameters: readonly Parameter[]
}

const carried = [
  ...['tags', 'summary', 'description', 'operationId', 'parameters', 'requestBody', 'responses'],
  'deprecated',
  ...[
    'security',
    rolesKey,
    'x-wamp-gateway',
    ...actionKinds.flatMap(({ reaches }) => reaches?.importedFrom ?? []),
  ],
]
const reasons = {
  callbacks: 'the gateway does not know callbacks',
  servers: 'only the first server of the document is used',
}

/** The operation as it stands in the API Specification. `request` holds its own parameters and those of the path. */
export function operationOf(found: Found, surroundings: Surroundings): Record<string, unknown> {
  const { place, method } = found
  const { source, schemas, security } = surroundings
  const { map, at } = place
  source.losses.tellOthers(map, at, { carried, reasons })
  const body = readBody(place, source, schemas)
  const responses = readResponses(place, source, schemas)
  const own = security.ofOperation(place)
  const accepts = body?.content.types.filter((type) => type !== 'application/msgpack') ?? []
  const provides = responses.success?.types ?? []
  const request = { ...requestOf(found.parameters), ...body?.request }
  const extension = extensionOf(place, source)
  const made = actionOf(found, body, extension, surroundings)
  const action = { ...made, ...socketsOf(responses, method, made.type, source) }
  const operation = {
    ...operationId(place, surroundings),
    ...textsOf(map),
    ...(map.deprecated === true && { is_deprecated: true }),
    ...(own !== undefined && { security: own }),
    ...(accepts.some((type) => type !== 'application/json') && { accepts }),
    ...(Object.keys(request).length > 0 && { request }),
    ...(body !== undefined &&
      body.content.files > 0 && { multipart: { files: body.content.files } }),
    ...(provides.length > 0 && kindOf(action.type)?.passesOn !== true && { provides }),
    action,
    response: responseOf(responses, method, action.type),
    ...(Object.keys(responses.documented).length > 0 && { responses: responses.documented }),
  }
  return mapped({ ...operation, ...extension.keys }, at)
}

/** What lets an action open WebSockets, where its operation is told to answer 101. */
function socketsOf(
  { switchedAt }: Responses,
  method: string,
  type: unknown,
  source: Source,
): JsonMap {
  if (switchedAt === undefined) return {}
  const key = method === 'get' ? kindOf(type)?.socketKey : undefined
  if (key !== undefined) return { [key]: true }
  source.losses.tell(switchedAt, noSuchStatus)
  return {}
}

/** `operation_id`, of letters, digits, `_`, `.` and `-`, and of one operation only. */
function operationId({ map, at }: Place, { source, operationIds }: Surroundings): JsonMap {
  const { operationId } = map
  if (typeof operationId !== 'string' || operationId === '') return {}
  const path = pointer(at, 'operationId')
  const operation_id = operationId.replaceAll(/[^\w.-]+/g, '_')
  if (operationIds.has(operation_id)) {
    source.losses.tell(path, 'another operation has this operationId')
    return {}
  }
  operationIds.add(operation_id)
  if (operation_id !== operationId) source.losses.tell(path, `the id becomes ${operation_id}`)
  return { operation_id }
}

/** `tags`, `summary` and `description`. */
function textsOf({ tags, summary, description: written, [rolesKey]: roles }: JsonMap): JsonMap {
  const description =
    typeof written === 'string' && Array.isArray(roles) ? withoutRoles(written, roles) : written
  return {
    ...(Array.isArray(tags) && tags.length > 0 && { tags: tags.map(String) }),
    ...(typeof summary === 'string' && { summary }),
    ...(typeof description === 'string' && { description }),
  }
}

interface Body {
  readonly content: Content
  readonly request: JsonMap
}

function readBody(operation: Place, source: Source, schemas: Schemas): Body | undefined {
  const { requestBody } = operation.map
  if (requestBody === undefined) return undefined
  const place = source.follow(requestBody, pointer(operation.at, 'requestBody'))
  if (!place) return undefined
  source.losses.tellOthers(place.map, place.at, { carried: ['description', 'content', 'required'] })
  const content = readContent(place, source, schemas, false)
  if (!content) return undefined
  const { description, required } = place.map
  const found = withExamples(content, pointer(place.at, 'content'))
  const schema = found === true ? {} : (found ?? {})
  const isDescribed = typeof description === 'string' && isMap(schema)
  const isFree = isDescribed && !Object.hasOwn(schema, 'description')
  if (isDescribed && !isFree)
    source.losses.tell(pointer(place.at, 'description'), 'the schema has a description of its own')
  return {
    content,
    request: {
      body: isFree ? mapped({ description, ...schema }, pointer(place.at, 'content')) : schema,
      ...(required !== true && { body_required: false }),
    },
  }
}

/** The methods of which an empty answer is 204. */
const changing = ['delete', 'patch', 'post', 'put']

function responseOf({ success }: Responses, method: string, type: unknown): JsonMap {
  const kind = kindOf(type)
  const isForward = kind?.passesOn === true
  const hasBody = success?.hasBody !== false && kind?.result?.includes('args')
  const usual = !hasBody && changing.includes(method) ? 204 : 200
  const status = success?.status
  const isRedirect = status !== undefined && status >= 300
  return {
    on_result: {
      ...(!isForward && status !== undefined && status !== usual && { status_code: status }),
      ...(!isForward && isRedirect && { uri: '{{action.result.args |> head}}' }),
      ...(hasBody && !isRedirect && { body: '{{action.result.args |> head}}' }),
      ...(success?.schema !== undefined && { schema: success.schema }),
    },
    on_error: {},
  }
}

/** The actions that a key of an operation names; a topic before a procedure. */
const importedKinds = actionKinds
  .flatMap(({ type, reaches }) =>
    reaches?.importedFrom
      ? [{ type, reaches: { field: reaches.field, importedFrom: reaches.importedFrom } }]
      : [],
  )
  .reverse()

/** What an extension names; else a forward, where one is asked for; else a call. */
function actionOf(
  found: Found,
  body: Body | undefined,
  extension: Extension,
  surroundings: Surroundings,
): JsonMap {
  const { place, template, pattern } = found
  const { target } = surroundings
  const sent = wampArguments(found.parameters, body?.content)
  for (const { type, reaches } of importedKinds) {
    const name = place.map[reaches.importedFrom]
    if (typeof name === 'string') return { type, [reaches.field]: name, ...sent }
  }
  if (extension.action) {
    const isOfWamp = kindOf(extension.action.type)?.reaches?.by === 'wamp'
    return { ...extension.action, ...(isOfWamp && sent) }
  }
  if (target.forward)
    return { type: 'forward', ...target.forward(template === '/' ? template : pattern) }
  return { type: 'wamp_call', procedure: procedureOf(found, surroundings), ...sent }
}

/** kwargs: bindings and query parameters; args: the body, and the files of a form. */
function wampArguments(parameters: readonly Parameter[], body: Content | undefined): JsonMap {
  const hasBindings = parameters.some((each) => each.in === 'path')
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  const read = `request.query_params |> with([${query.map(quoted).join(', ')}])`
  const kwargs = [
    ...(query.length > 0 ? [read] : []),
    ...(hasBindings ? [query.length > 0 ? 'merge({{request.bindings}})' : 'request.bindings'] : []),
  ]
  return {
    ...(body && {
      args: [
        '{{request.body}}',
        ...(body.types.includes(multipartType) ? ['{{request.files}}'] : []),
      ],
    }),
    ...(kwargs.length > 0 && { kwargs: `{{${kwargs.join(' |> ')}}}` }),
  }
}

/** The procedure of an operation that names none. */
function procedureOf(found: Found, { source, target, procedures }: Surroundings): string {
  const { operationId } = found.place.map
  const words =
    typeof operationId === 'string'
      ? wordsOf(operationId)
      : [found.method, ...wordsOf(found.template)]
  const procedure = [target.prefix, ...words].join('.')
  const other = procedures.get(procedure)
  if (other !== undefined)
    source.losses.tell(found.place.at, `it calls the procedure of ${other}: ${procedure}`)
  procedures.set(procedure, found.place.at)
  return procedure
}

/** `getOrderById` is get, order, by, id; so is `get_order-by/id`. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
