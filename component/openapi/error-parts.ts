/** The shared responses and schemas of errors: those that the gateway makes, and those of an action. */
import { essenceOf } from '#component/syntax/media-type.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { NamedParts } from './named-parts.ts'

const text = { type: 'string' }

const details = {
  type: 'array',
  items: {
    type: 'object',
    required: ['path', 'message'],
    properties: { path: { ...text, description: 'A JSON Pointer.' }, message: text },
  },
}

const errorKeys = {
  code: { ...text, description: 'A URI to switch on.' },
  message: { ...text, description: 'What was wrong, for people.' },
  description: { ...text, description: 'The fixed sentence of the code.' },
  details,
}

/** The body of every error that the gateway makes itself. */
const errorSchema = {
  type: 'object',
  description: 'An error of the gateway.',
  required: ['code', 'message', 'description'],
  properties: errorKeys,
}

/** RFC 9457 §3.1, with the members of an error as extensions. */
const problemSchema = {
  type: 'object',
  description: 'An error of the gateway (RFC 9457).',
  required: ['title', 'status', 'detail', 'code', 'message', 'description'],
  properties: { title: text, status: { type: 'integer' }, detail: text, ...errorKeys },
}

/** RFC 9457 §3.1, of operations with `errors: problem`. */
const declaredProblemSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['title', 'status', 'code'],
  properties: {
    type: { ...text, format: 'uri-reference', description: 'A URI of the kind of error.' },
    title: { ...text, description: 'The fixed sentence of the code, or the code.' },
    status: { type: 'integer' },
    detail: { ...text, description: 'What was wrong, for people.' },
    instance: { ...text, format: 'uri-reference', description: 'The id of the request.' },
    code: { ...text, description: 'A URI to switch on.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: { ...text, description: 'A JSON Pointer as a URI fragment.' },
          detail: text,
        },
      },
    },
    args: { type: 'array', items: {} },
    kwargs: { type: 'object' },
  },
}

/** `action.error`, where `on_error` declares no body. */
const actionErrorSchema = {
  type: 'object',
  description: 'The error of an action.',
  required: ['error_uri', 'args', 'kwargs', 'details'],
  properties: {
    error_uri: text,
    args: { type: 'array', items: {} },
    kwargs: { type: 'object' },
    details: { type: 'object' },
  },
}

/** By status, also `2XX` and `default`. */
export type Responses = Record<string, JsonMap>

/** The body of the error of an action: a schema, `undeclared` without a body of `on_error`, `any` without a schema for it. */
export type ActionErrorBody = { readonly schema: unknown } | 'undeclared' | 'any'

/** References to the shared parts of errors; made when they are first used. */
export class ErrorParts {
  readonly #schemas: NamedParts
  readonly #responses: NamedParts
  /** By types of errors, of which thousands of operations share one list, and by what is answered. */
  readonly #known = new WeakMap<readonly string[], Map<string, JsonMap>>()

  constructor(schemas: NamedParts, responses: NamedParts) {
    this.#schemas = schemas
    this.#responses = responses
  }

  /** An error of the gateway. @param types of errors, by preference */
  ofGateway(types: readonly string[]): JsonMap {
    return this.#response('Error', types, () => contentOf(types, (type) => this.#own(type, types)))
  }

  /** A refusal because of limits, with headers. @param key of equal headers @param headers references to Header Objects */
  withHeaders(key: string, types: readonly string[], headers: JsonMap): JsonMap {
    const makeContent = () => contentOf(types, (type) => this.#own(type, types))
    return this.#response('Limited', types, makeContent, { key, headers })
  }

  /** An error of the gateway or of the action. */
  ofAction(types: readonly string[], body: ActionErrorBody): JsonMap {
    if (typeof body === 'object') return { content: this.contentOf(types, body) }
    const name = body === 'undeclared' ? 'ActionError' : 'AnyError'
    return this.#response(name, types, () => this.contentOf(types, body))
  }

  /** A response as a map of its own, in place of a reference to a shared one. */
  inlined(response: JsonMap): JsonMap {
    const { $ref, ...own } = response
    if (typeof $ref !== 'string') return response
    const shared = this.#responses.get($ref.slice($ref.lastIndexOf('/') + 1))
    return { ...(shared as JsonMap), ...own }
  }

  /** The content of the same answers. */
  contentOf(types: readonly string[], body: ActionErrorBody): JsonMap {
    return contentOf(types, (type) => {
      const own = this.#own(type, types)
      if (type === problemType) return own
      if (body === 'any') return {}
      const other =
        body === 'undeclared' ? this.#schema('ActionError', actionErrorSchema) : body.schema
      return { anyOf: [other, own] }
    })
  }

  /** @param types begin with that of problems where the document declares them */
  #own(type: string, types: readonly string[]): JsonMap {
    if (type !== problemType) return this.#schema('Error', errorSchema)
    const isDeclared = types[0] === problemType
    return this.#schema('Problem', isDeclared ? declaredProblemSchema : problemSchema)
  }

  #schema(name: string, schema: JsonMap): JsonMap {
    return { $ref: `#/components/schemas/${this.#schemas.nameOf(name, schema)}` }
  }

  #response(
    name: string,
    types: readonly string[],
    makeContent: () => JsonMap,
    { key, headers }: { readonly key: string; readonly headers?: JsonMap } = { key: '' },
  ): JsonMap {
    const known = this.#known.get(types) ?? new Map<string, JsonMap>()
    this.#known.set(types, known)
    const answered = `${name} ${key}`
    const reference = known.get(answered) ?? this.#reference(name, makeContent(), headers)
    known.set(answered, reference)
    return reference
  }

  #reference(name: string, content: JsonMap, headers?: JsonMap): JsonMap {
    const response = { description: 'An error.', ...(headers && { headers }), content }
    return { $ref: `#/components/responses/${this.#responses.nameOf(name, response)}` }
  }
}

const problemType = 'application/problem+json'

/** A Media Type Object for each type; a type and the same type with a charset are one. */
export function contentOf(
  types: readonly string[],
  schemaOf: (type: string) => unknown,
): Record<string, { readonly schema: unknown }> {
  const content: Record<string, { readonly schema: unknown }> = {}
  for (const type of new Set(types.map(essenceOf))) content[type] = { schema: schemaOf(type) }
  return content
}
