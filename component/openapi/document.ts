/** Describes a version as OpenAPI 3.1.1. */
import type { DescribedVersion } from '#component/gateway/api.ts'
import { methods } from '#component/request.ts'
import { membersOf } from '#component/security/scheme.ts'
import { scopesOf } from '#component/security/scopes.ts'
import type { Path } from '#component/spec/model.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import { authoredOf, textOf } from './authored.ts'
import { ErrorParts } from './error-parts.ts'
import { FreeNames, NamedParts } from './named-parts.ts'
import { type Described, describeOperation, type OperationContext } from './operation.ts'
import type { DescribeOptions, OpenApi } from './options.ts'
import { publishedAll } from './references.ts'
import { type Bases, basesOf, type Template, templatesOf } from './templates.ts'
import { webhooksOf } from './webhooks.ts'

/** One path with the templates of its forms. */
interface DescribedPath {
  readonly path: Path
  readonly templates: readonly Template[]
  readonly operations: readonly Described[]
}

/** Describes the operations of an active version, in steps: one or two for each path. */
export function* describing(described: DescribedVersion, options: DescribeOptions): Steps<OpenApi> {
  const { spec, version } = described
  const openapi = version.openapi
  const bases = basesOf(version.base_path)
  const schemas = new NamedParts(publishedAll(spec.schemas) as JsonMap)
  const responses = new NamedParts()
  const headers = new NamedParts()
  const securitySchemes = new NamedParts()
  const servers = serversOf(openapi, bases, options)
  const context: Omit<OperationContext, 'scopes'> = {
    schemas: spec.schemas,
    errors: new ErrorParts(schemas, responses),
    headers,
    securitySchemes,
    address: addressOf(openapi, bases, options),
    hasTools: version.mcp !== undefined,
    isInternal: options.isInternal,
    holding: options.holding,
  }
  const found = yield* findPaths(described, bases.inPaths, options)
  const scopes = scopesIn(found, options)
  const paths = yield* describePaths(found, { ...context, scopes })
  const webhooks = webhooksOf(spec)
  const components = {
    schemas: schemas.toMap(),
    responses: responses.toMap(),
    headers: headers.toMap(),
    securitySchemes: securitySchemes.toMap(),
  }
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: infoOf(described),
    servers: servers.map((url) => ({ url })),
    ...(Array.isArray(openapi.tags) && { tags: openapi.tags }),
    paths,
    ...(webhooks && { webhooks }),
    components: withoutAbsent(components),
  }
}

/** The scopes of tokens of the gateway that the operations ask for. */
function scopesIn(found: readonly DescribedPath[], { scopeTexts = {} }: DescribeOptions) {
  const protections = found.flatMap(({ operations }) =>
    operations.flatMap(({ operation }) => membersOf(operation.inherited.protection)),
  )
  const names = protections.flatMap(({ kind, object }) =>
    kind.tokens === 'own' ? scopesOf(object) : [],
  )
  const sorted = [...new Set(names)].sort()
  return Object.fromEntries(sorted.map((name) => [name, scopeTexts[name] ?? '']))
}

const withoutAbsent = (map: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined))

/** The name of a version, for people. */
export const titleOf = ({ spec, version: { info } }: DescribedVersion): string =>
  textOf(info.title) ?? textOf(spec.name) ?? spec.id

function infoOf(described: DescribedVersion): JsonMap {
  const { info, openapi, label } = described.version
  const { contact, license, terms_of_service: termsOfService } = openapi
  return withoutAbsent({
    title: titleOf(described),
    description: textOf(info.description),
    termsOfService,
    contact,
    license,
    version: label,
  })
}

/** The URLs that the author names. */
const declaredServers = ({ servers }: JsonMap): readonly string[] | undefined =>
  Array.isArray(servers) && servers.length > 0 ? servers.map(withoutSlash) : undefined

const withoutSlash = (url: unknown): string => String(url).replace(/\/$/, '')

function serversOf(openapi: JsonMap, bases: Bases, { serverBase }: DescribeOptions) {
  return declaredServers(openapi) ?? bases.servers.map((base) => serverBase + base || '/')
}

/** Where the token endpoint of the version is: below its first server. */
function addressOf(openapi: JsonMap, bases: Bases, { baseUrl }: DescribeOptions): string {
  return declaredServers(openapi)?.[0] ?? baseUrl + (bases.servers[0] ?? '')
}

/** The paths with something to describe; a template that OpenAPI takes for that of another path is left out. */
function* findPaths(
  { version, entries }: DescribedVersion,
  inPaths: string,
  { isInternal }: DescribeOptions,
): Steps<DescribedPath[]> {
  const routes = new Map(entries.map((entry) => [entry.path, entry.routes]))
  const found: DescribedPath[] = []
  const fixedShapes = new Set<string>()
  for (const path of version.paths) {
    yield
    const operations: Described[] = []
    for (const method of methods) {
      const operation = routes.get(path.path)?.[method]
      if (method === 'options' || operation === undefined || operation.kind !== undefined) continue
      const isHidden = operation.action.kind.serves !== undefined
      const authored = authoredOf(operation.written, path.document, isHidden)
      if (isInternal || !authored.isHidden) operations.push({ method, operation, authored })
    }
    const templates = templatesOf(inPaths + path.pattern)
    for (const { shape, variables } of templates) {
      if (!variables.some(({ isRest }) => isRest)) fixedShapes.add(shape)
    }
    if (operations.length > 0) found.push({ path, templates, operations })
  }
  // where both match, the gateway prefers the path without a rest
  const isShadowed = ({ shape, variables }: Template) =>
    variables.at(-1)?.isRest === true && fixedShapes.has(shape)
  return found.map((one) => ({
    ...one,
    templates: one.templates.filter((template) => !isShadowed(template)),
  }))
}

function* describePaths(
  found: readonly DescribedPath[],
  context: OperationContext,
): Steps<Record<string, JsonMap>> {
  const declared = found.flatMap(({ operations }) => operations.map(({ authored }) => authored.id))
  const ids = new FreeNames(declared.filter((id) => id !== undefined))
  const given = new Set<string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { path, templates, operations } of found) {
    yield
    const { document } = path
    const summary = textOf(document.summary)
    const description = textOf(document.description)
    for (const { text } of templates) {
      paths[text] = {
        ...(summary !== undefined && { summary }),
        ...(description !== undefined && { description }),
      }
    }
    for (const one of operations) {
      const describe = describeOperation(one, context)
      const [longest] = templates
      const derived = [one.method, longest?.words].filter(Boolean).join('_')
      const { id = derived } = one.authored
      for (const template of templates) {
        // the first operation that declares an id has it
        const isOwn = one.authored.id !== undefined && !given.has(id)
        const operationId = isOwn ? id : ids.take(id)
        if (isOwn) given.add(id)
        Object.assign(paths[template.text] ?? {}, {
          [one.method]: describe(template, operationId),
        })
      }
    }
  }
  return paths
}
