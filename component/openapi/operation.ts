/** One operation of OpenAPI: a method of one form of a path. */
import {
  type ActionPlan,
  type CompiledOperation,
  plansOf,
  typesOf,
} from '#component/gateway/api.ts'
import type { Method } from '#component/request.ts'
import { requiredRoles, rolesKey, withRoles } from '#component/security/required-roles.ts'
import { essenceOf, multipartType } from '#component/syntax/media-type.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Authored } from './authored.ts'
import { contentOf, type ErrorParts } from './error-parts.ts'
import { type Shown, shownExamples, withExamples } from './examples.ts'
import type { NamedParts } from './named-parts.ts'
import { parametersOf } from './parameters.ts'
import { readsOf } from './reads.ts'
import { published } from './references.ts'
import { responsesOf } from './responses.ts'
import { requirementsOf, secretHeadersOf } from './security-schemes.ts'
import type { Template } from './templates.ts'

/** What all operations of a description share. */
export interface OperationContext {
  /** The schemas of the document by name. */
  readonly schemas: JsonMap
  readonly errors: ErrorParts
  readonly headers: NamedParts
  readonly securitySchemes: NamedParts
  /** The scopes of tokens of the gateway that operations of the version ask for, and what people are told of each. */
  readonly scopes: Readonly<Record<string, string>>
  /** Of the version: absolute, without a slash at the end. */
  readonly address: string
  /** Whether the version has an endpoint for language models. */
  readonly hasTools: boolean
  /** Whether operators read it. */
  readonly isInternal: boolean
  /** JSON Pointers of the examples that hold. */
  readonly holding: ReadonlySet<string> | undefined
}

/** A compiled operation with what its author says of it. */
export interface Described {
  readonly method: Method
  readonly operation: CompiledOperation
  readonly authored: Authored
}

/** @returns the operation at a template, without its id: all templates of a path share the rest */
export function describeOperation(
  { method, operation, authored }: Described,
  context: OperationContext,
): (template: Template, operationId: string) => JsonMap {
  const { protection } = operation.inherited
  const { summary, tags, request, toolName } = authored
  const roles = requiredRoles(protection)
  const description = roles ? withRoles(authored.description, roles) : authored.description
  const reads = readsOf(operation, method)
  const secretHeaders = secretHeadersOf(protection)
  const examples =
    context.holding &&
    shownExamples({ ...authored, ...context, at: operation.at, holding: context.holding })
  const requestBody = requestBodyOf(operation, method, request, reads.files, examples?.body)
  const words = {
    ...(tags.length > 0 && { tags }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(operation.path.isDeprecated && { deprecated: true }),
    ...(context.hasTools && toolName !== undefined && { 'x-mcp-tool': toolName }),
  }
  const rest = {
    ...(requestBody && { requestBody }),
    responses: responsesOf(operation, method, authored, context, examples?.responses),
    ...(protection && {
      security: requirementsOf(protection, {
        ...{ method, address: context.address, scopes: context.scopes },
        ...{ schemes: context.securitySchemes, isInternal: context.isInternal },
      }),
    }),
    ...(roles && { [rolesKey]: roles }),
    ...(context.isInternal && { 'x-wamp-gateway': backendOf(operation, authored) }),
  }
  return (template, operationId) => {
    const { schemas } = context
    const parameters = parametersOf({
      ...{ template, request, reads, schemas, secretHeaders },
      examples: examples?.parameters,
    })
    return { operationId, ...words, ...(parameters.length > 0 && { parameters }), ...rest }
  }
}

/** Methods whose body has no meaning (RFC 9110 §9.3). */
const bodilessMethods = new Set<Method>(['get', 'head'])

function requestBodyOf(
  operation: CompiledOperation,
  method: Method,
  { body, body_required }: JsonMap,
  files: ReadonlyMap<string, 'one' | 'all'>,
  examples: Shown | undefined,
): JsonMap | undefined {
  const { inherited, readsBody, streamedBody } = operation
  const passesBody = plansOf(operation).some((plan) => plan.passesBody)
  if (body !== undefined) {
    const schema = published(body)
    return {
      ...(body_required !== false && { required: true }),
      content: withExamples(
        contentOf(inherited.accepts, (type) =>
          essenceOf(type) === multipartType ? withFiles(schema, files) : schema,
        ),
        examples,
      ),
    }
  }
  if (bodilessMethods.has(method) || !(readsBody || passesBody || streamedBody)) return undefined
  const types = readsBody || inherited.declares.accepts ? inherited.accepts : ['*/*']
  return {
    content: withExamples(
      contentOf(types, (type) => (essenceOf(type) === multipartType ? withFiles({}, files) : {})),
      examples,
    ),
  }
}

const file = { type: 'string', format: 'binary' }

/** The schema of a form, and the files that expressions read of it. */
function withFiles(schema: unknown, files: ReadonlyMap<string, 'one' | 'all'>): unknown {
  if (files.size === 0) return schema
  const properties = Object.fromEntries(
    [...files].map(([name, count]) => [
      name,
      count === 'one' ? file : { type: 'array', items: file },
    ]),
  )
  if (!isMap(schema) || Object.keys(schema).length === 0) return { type: 'object', properties }
  if (schema.$ref !== undefined || !isMap(schema.properties)) {
    return { allOf: [schema, { type: 'object', properties }] }
  }
  return { ...schema, properties: { ...schema.properties, ...properties } }
}

/** What lies behind an operation, for operators; of a list the last action. */
function backendOf(operation: CompiledOperation, { isHidden }: Authored): JsonMap {
  const { action, path } = operation
  const { field, named } = action.kind.reaches ?? {}
  const isNamed = named !== undefined && action.fixed[named.field] !== undefined
  const name = isNamed ? named.field : field
  const target = name === undefined ? undefined : targetOf(operation, action, name)
  const types = typesOf(operation)
  return {
    action: types.length > 1 ? types : action.type,
    ...(name !== undefined && target !== undefined && { [name]: target }),
    pattern: path.pattern,
    ...(isHidden && { hidden: true }),
  }
}

/** The field of an action: its value, or the expression that computes it. */
function targetOf({ written }: CompiledOperation, { fixed }: ActionPlan, name: string): unknown {
  if (fixed[name] !== undefined) return fixed[name]
  const last = Array.isArray(written.action) ? written.action.at(-1) : written.action
  return isMap(last) ? last[name] : undefined
}
