/** Compiles one tool: its definition for clients, and which arguments become bindings. */
import { pointer } from '#component/codec/json.ts'
import { bindingsOf } from '#component/compile/read-checks.ts'
import type { DocumentSchemas } from '#component/compile/schemas/document-schemas.ts'
import type { Issue } from '#component/errors.ts'
import { type CompiledOperation, type CompiledTool, kindsOf } from '#component/gateway/api.ts'
import { stagesOf } from '#component/gateway/stages.ts'
import type { Method } from '#component/request.ts'
import { appliedTo } from '#component/schema/coerce.ts'
import { partsOf } from '#component/schema/keywords.ts'
import { bundled } from '#component/schema/moved.ts'
import { type KeyedForm, keyedForms, parsePathPattern } from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { ToolDefinition } from '#component/tool/list.ts'

/** An operation with the key `tool`, and where it is. */
interface ToolPlace {
  readonly method: Method
  readonly operation: CompiledOperation
  /** Of base_path and path; empty when the pattern is broken. */
  readonly forms: readonly KeyedForm[]
  /** base_path of the version. */
  readonly base: string
  /** JSON Pointer of `tool`. */
  readonly at: string
}

/** Levels of schemas within schemas. */
const mostLevels = 32

/** Schema extension of the Model Context Protocol: an argument that clients repeat as a header field. */
const headerKey = 'x-mcp-header'

/** Compiles a tool; undefined where its shape has been reported. */
export function compileTool(
  place: ToolPlace,
  schemas: DocumentSchemas,
  issues: Issue[],
): CompiledTool | undefined {
  const { method, operation, forms, at } = place
  const { tool, summary } = operation.written
  if (!isMap(tool) || typeof tool.name !== 'string') return undefined
  const refused = whyNoTool(place)
  if (refused !== undefined) issues.push({ path: at, message: refused })
  const bound = boundBy(place)
  const { input = inputOf(bound), output, title = summary } = tool
  if (!isMap(input)) return undefined
  for (const [key, schema] of Object.entries({ input: tool.input, output })) {
    if (schema === undefined) continue
    const path = pointer(at, key)
    schemas.use(schema, path)
    judge(schema, path, 1, issues)
  }
  if (tool.input !== undefined && forms.length > 0) {
    checkBindings(input, pointer(at, 'input'), bound, place, schemas, issues)
  }
  const definition: ToolDefinition = {
    name: tool.name,
    ...(typeof title === 'string' && { title }),
    description: String(tool.description),
    inputSchema: bundled(input, schemas.named),
    ...(output !== undefined && {
      outputSchema: isMap(output) ? bundled(output, schemas.named) : output,
    }),
    annotations: { ...hintsOf(method), ...(tool.annotations as Record<string, boolean>) },
  }
  const bindings = new Set(bound.all)
  const stages = stagesOf({ ...operation, method, isTool: true })
  const check = schemas.checkOf(input)
  return { definition, at, method, operation, stages, forms, bindings, input: check }
}

/** Why the operation cannot be called by a model; undefined where it can. */
function whyNoTool({ method, operation }: ToolPlace): string | undefined {
  if (method === 'options') return 'OPTIONS cannot be a tool'
  if (kindsOf(operation).some(({ begins }) => begins === 'events'))
    return 'a stream of events cannot be a tool'
  if (operation.websocket) return 'a WebSocket cannot be a tool'
  if (!operation.inherited.protection?.kind.signsBody) return undefined
  return 'a path for webhooks cannot be a tool: no client could sign its call'
}

/** What the forms of a path bind. */
interface Bound {
  readonly all: readonly string[]
  /** Those that each form binds. */
  readonly always: readonly string[]
}

/** The bindings of the path below base_path: those of base_path have their values from the address of the endpoint. */
function boundBy({ forms, base }: ToolPlace): Bound {
  const parsed = parsePathPattern(base || '/')
  const ofBase = 'problem' in parsed ? [] : bindingsOf(keyedForms(parsed))
  const all = bindingsOf(forms).filter((name) => !ofBase.includes(name))
  const always = all.filter((name) => forms.every((form) => bindingsOf([form]).includes(name)))
  return { all, always }
}

const inputOf = ({ all, always }: Bound): JsonMap => ({
  type: 'object',
  properties: Object.fromEntries(all.map((name) => [name, { type: 'string' }])),
  ...(always.length > 0 && { required: always }),
  additionalProperties: false,
})

function checkBindings(
  input: JsonMap,
  at: string,
  { always }: Bound,
  { operation }: ToolPlace,
  { named }: DocumentSchemas,
  issues: Issue[],
): void {
  const applied = [...appliedTo(input, named)]
  for (const name of always) {
    const isKnown = applied.some(
      ({ properties }) => isMap(properties) && Object.hasOwn(properties, name),
    )
    const isRequired = applied.some(
      ({ required }) => Array.isArray(required) && required.includes(name),
    )
    if (isKnown && isRequired) continue
    const missing = isKnown ? 'required' : 'properties'
    const message = `the path ${operation.path.pattern} binds ${JSON.stringify(name)}: expected it among ${missing}`
    issues.push({ path: pointer(at, missing), message })
  }
}

/** Reports what a schema of a tool may not be beside what holds for every schema. */
function judge(schema: unknown, at: string, level: number, issues: Issue[]): void {
  if (level === mostLevels + 1) {
    const message = `the schema of a tool is nested at most ${mostLevels} levels deep`
    issues.push({ path: at, message })
    return
  }
  if (isMap(schema) && Object.hasOwn(schema, headerKey)) {
    const message = `${headerKey} is not allowed: arguments are no headers`
    issues.push({ path: pointer(at, headerKey), message })
  }
  for (const { keyword, key, schema: part } of partsOf(schema)) {
    const place = key === undefined ? pointer(at, keyword) : pointer(at, keyword, key)
    judge(part, place, level + 1, issues)
  }
}

/** What a method says of itself (RFC 9110 §9.2). */
function hintsOf(method: Method): ToolDefinition['annotations'] {
  if (method === 'get' || method === 'head') return { readOnlyHint: true, idempotentHint: true }
  if (method === 'delete') return { destructiveHint: true, idempotentHint: true }
  return method === 'put' ? { idempotentHint: true } : {}
}
