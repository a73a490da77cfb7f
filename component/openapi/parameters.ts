/** The parameters of an operation: from the schemas of its request, and else from what its expressions read. */
import { appliedTo } from '#component/schema/coerce.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { ShownExamples } from './examples.ts'
import type { RequestReads } from './reads.ts'
import { type Member, type Members, membersOf, published } from './references.ts'
import type { Template, Variable } from './templates.ts'

/** OpenAPI has other places for these headers (Parameter Object: name), or clients set them by themselves. */
const ownHeaders = new Set(['accept', 'content-type', 'authorization', 'cookie', 'host'])

const anyText: Member = { schema: { type: 'string' }, isRequired: false }

/** What the parameters are made of. */
export interface ParameterSources {
  readonly template: Template
  /** The `request` of the operation, with the members of its path. */
  readonly request: JsonMap
  readonly reads: RequestReads
  /** The schemas of the document by name. */
  readonly schemas: JsonMap
  /** The header that holds the credentials, in lower case. */
  readonly secretHeaders: readonly string[]
  readonly examples: ShownExamples['parameters'] | undefined
}

/** Path, query and headers, in this order. */
export function parametersOf(sources: ParameterSources): readonly JsonMap[] {
  const { template, request, reads, schemas, secretHeaders, examples } = sources
  const bindings = membersOf(request.bindings, schemas)
  const query = withReads(membersOf(request.query_params, schemas), reads.query)
  const headers = withReads(membersOf(request.headers, schemas), reads.headers)
  for (const [name, member] of reads.described) headers.set(name, member)
  const parameters = [
    ...template.variables.map((variable) => pathParameter(variable, bindings)),
    ...Array.from(query, ([name, member]) => parameter('query', name, member, schemas)),
    ...[...headers]
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()) && !secretHeaders.includes(name))
      .map(([name, member]) => parameter('header', name, member, schemas)),
  ]
  return examples ? parameters.map((one) => withExamples(one, examples)) : parameters
}

function withExamples(parameter: JsonMap, examples: ShownExamples['parameters']): JsonMap {
  const shown = examples.get(`${parameter.in} ${parameter.name}`)
  return shown ? { ...parameter, examples: shown } : parameter
}

/** The members that a schema names, and those that it admits and that are read. */
function withReads({ named, isClosed }: Members, reads: ReadonlySet<string>): Map<string, Member> {
  const members = new Map(named)
  if (isClosed) return members
  for (const name of reads) if (!members.has(name)) members.set(name, anyText)
  return members
}

const restSentence =
  'The rest of the path. It may have any number of segments, also none; OpenAPI can describe only one.'

function pathParameter({ name, binding, isRest }: Variable, { named }: Members): JsonMap {
  const { schema } = named.get(binding ?? '') ?? anyText
  const description = isRest ? restSentence : textOf(schema, 'description')
  return {
    name,
    in: 'path',
    required: true,
    ...(description !== undefined && { description }),
    schema: published(schema),
    ...(isRest && { 'x-wamp-gateway-rest': true }),
  }
}

function parameter(
  place: 'query' | 'header',
  name: string,
  { schema, isRequired }: Member,
  schemas: JsonMap,
): JsonMap {
  const description = textOf(schema, 'description')
  const types = [keywordOf(schema, 'type', schemas)].flat()
  const isList = place === 'query' && types.includes('array')
  const hasDefault = keywordOf(schema, 'default', schemas) !== undefined
  return {
    name,
    in: place,
    ...(isRequired && !hasDefault && { required: true }),
    ...(description !== undefined && { description }),
    ...(isMap(schema) && schema.deprecated === true && { deprecated: true }),
    ...(isList && { style: 'form', explode: true }),
    schema: published(schema),
  }
}

const textOf = (schema: unknown, key: string): string | undefined => {
  const value = isMap(schema) ? schema[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The value of a keyword, also where it stands in a schema that is referred to. */
function keywordOf(schema: unknown, keyword: string, schemas: JsonMap): unknown {
  for (const applied of appliedTo(schema, schemas)) {
    if (Object.hasOwn(applied, keyword)) return applied[keyword]
  }
  return undefined
}
