/** An OpenAPI document as an API Specification, and what of it is not carried over. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { methods } from '#component/request.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { fitSchemas, leaveUnused } from './fit.ts'
import { hoistSecurity } from './hoist.ts'
import type { Losses } from './losses.ts'
import { type Judge, mend } from './mend.ts'
import { mapped } from './origins.ts'
import { isLess, type Part } from './part.ts'
import { literal } from './path-templates.ts'
import { pathsOf } from './paths.ts'
import { proceduresOf } from './procedures.ts'
import { Schemas } from './schemas.ts'
import { Security } from './security.ts'
import { filesKey, Source } from './source.ts'
import { type ImportOptions, targetOf, withoutSlash } from './target.ts'

/** The result of an import. */
export interface Imported {
  readonly document: JsonMap
  /** What is not carried over, and what a load warns of; paths are those of the OpenAPI document. */
  readonly losses: readonly Issue[]
  /** Why no gateway loads the document; empty: it loads. */
  readonly issues: readonly Issue[]
}

const whole: Part = { globs: [], tags: [] }

const rootKeys = {
  carried: ['openapi', 'info', 'servers', 'paths', 'components', 'security', 'tags', filesKey],
  reasons: {
    jsonSchemaDialect: 'schemas are those of JSON Schema 2020-12',
    webhooks: 'the gateway does not know webhooks',
  },
}
/** Beyond it, numbers are written as powers of ten. */
const greatest = 1e40

const infoKeys = {
  carried: ['title', 'description', 'version', 'contact', 'license', 'termsOfService'],
}

/**
 * Imports a document of which `versionProblem` knows none.
 * @param judge what a load finds
 */
export function importOpenApi(openapi: JsonMap, options: ImportOptions, judge: Judge): Imported {
  const source = new Source(openapi)
  const { losses } = source
  tellGreatIntegers(openapi, '', losses)
  losses.tellOthers(openapi, '', rootKeys)
  const info = isMap(openapi.info) ? openapi.info : {}
  losses.tellOthers(info, '/info', infoKeys)
  const basePath = basePathOf(source)
  const { realm_uri, forward, isTurned = false, part = whole } = options
  const schemas = new Schemas(source, !isLess(part) && !isTurned)
  const security = new Security(source, basePath)
  const shared = security.ofDocument(openapi)
  const { byPattern, base = basePath } = pathsOf({
    ...{ source, schemas, security, part },
    target: targetOf(options, basePath),
    procedures: new Map(),
    operationIds: new Set(),
  })
  schemas.convertReferred()
  const service = forward ?? URL.parse(serverOf(source) ?? '') ?? undefined
  const title = typeof info.title === 'string' ? info.title : undefined
  const { host = '_', id = idOf(realm_uri, title) } = options
  const upstream = isTurned ? service : forward
  const procedures = isTurned && service ? proceduresOf(byPattern, service, shared, losses) : {}
  const inherited = isTurned ? undefined : hoistSecurity(byPattern, shared)
  const published = publishedOf(source, info)
  const version = () => ({
    base_path: base || '/',
    ...(isMap(openapi.info) && { info: textsOf(info) }),
    ...(published && { openapi: published }),
    ...(inherited && Object.keys(inherited).length > 0 && { defaults: { security: inherited } }),
    paths: mapped(byPattern, '/paths'),
  })
  const label = typeof info.version === 'string' && info.version !== '' ? info.version : '1.0'
  if (isTurned) leaveUnused(procedures, schemas.named)
  const document = {
    id,
    ...(title !== undefined && { name: title }),
    ...(!isTurned && { host }),
    realm_uri,
    ...(upstream && { variables: { upstream: upstream.origin } }),
    ...(Object.keys(schemas.named).length > 0 && {
      schemas: mapped(schemas.named, '/components/schemas'),
    }),
    ...(isTurned
      ? { procedures: mapped(procedures, '/paths') }
      : { versions: { [label]: version() } }),
  }
  fitSchemas(document, schemas.named, losses)
  const issues = mend(document, judge, losses)
  const isEmpty = isTurned
    ? Object.keys(procedures).length === 0
    : Object.values(byPattern).every(
        (path) => !methods.some((method) => Object.hasOwn(path as object, method)),
      )
  const count = isMap(openapi.paths) ? Object.keys(openapi.paths).length : 0
  const message = `nothing is left: ${count} of ${count} paths have no operation`
  const nothing = isEmpty ? [{ path: '/paths', message }] : []
  const homeless = isTurned && !service ? [noService] : []
  const told = isTurned ? losses.all().filter(({ path }) => !isOfVersion(path)) : losses.all()
  return {
    document,
    losses: told,
    issues: [...issues, ...(service || !isTurned ? nothing : homeless)],
  }
}

const noService = {
  path: '/servers',
  message: 'the first server has no URL with a host: --forward names the service',
}

/** Responses pass through a procedure as they come, and security is told by operation: nothing there is lost. */
const isOfVersion = (path: string): boolean =>
  /^\/paths\/[^/]*\/[^/]*\/responses\/|^\/components\/(?:responses|headers|links|securitySchemes)\//.test(
    path,
  )

/** Tells what was read as a double, and most likely is an integer of more than 64 bits. */
function tellGreatIntegers(value: unknown, at: string, losses: Losses): void {
  if (typeof value === 'number' && Math.abs(value) >= 2 ** 63 && Math.abs(value) < greatest)
    losses.tell(at, 'an integer of more than 64 bits is kept as a double')
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value))
    tellGreatIntegers(member, pointer(at, key), losses)
}

const textsOf = ({ title, description }: JsonMap): JsonMap => ({
  ...(typeof title === 'string' && { title }),
  ...(typeof description === 'string' && { description }),
})

/** What is published of a version: `contact`, `license`, `terms_of_service` and `tags`. */
function publishedOf(source: Source, info: JsonMap): JsonMap | undefined {
  const tags = source.members({ map: source.document, at: '' }, 'tags').map(({ map, at }) => {
    const { name, description } = map
    source.losses.tellOthers(map, at, { carried: ['name', 'description'] })
    return { name, ...(typeof description === 'string' && { description }) }
  })
  const published = {
    ...(isMap(info.contact) && { contact: info.contact }),
    ...(isMap(info.license) && { license: info.license }),
    ...(typeof info.termsOfService === 'string' && { terms_of_service: info.termsOfService }),
    ...(tags.length > 0 && { tags }),
  }
  return Object.keys(published).length > 0 ? published : undefined
}

/** The URL of the first server, with the defaults of its variables; undefined: there is none. */
function serverOf(source: Source): string | undefined {
  const [first, ...others] = source.members({ map: source.document, at: '' }, 'servers')
  for (const { at } of others) source.losses.tell(at, 'only the path of the first server is used')
  if (typeof first?.map.url !== 'string') return undefined
  return first.map.url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = memberOf(memberOf(first.map.variables, name), 'default')
    const path = pointer(first.at, 'variables', name)
    source.losses.tell(path, `the variable has its default: ${String(value)}`)
    return value === undefined ? whole : String(value)
  })
}

/** The path of the first server, without a slash at its end. */
function basePathOf(source: Source): string {
  const url = serverOf(source)
  if (url === undefined) return ''
  const at = '/servers/0/url'
  const path = URL.parse(url, 'http://localhost')?.pathname
  if (path === undefined) source.losses.tell(at, 'it is not a URL')
  const segments = withoutSlash(path ?? '')
    .split('/')
    .slice(1)
  if (segments.includes(''))
    source.losses.tell(at, 'the path has empty segments: they are left out')
  return segments
    .filter((segment) => segment !== '')
    .map((segment) => `/${literal(segment)}`)
    .join('')
}

/** `com.example` and "Swagger Petstore - OpenAPI 3.0" are `com.example.swagger_petstore_openapi_3_0`. */
const idOf = (realm: string, title = 'api'): string =>
  `${realm}.${
    title
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '_')
      .replaceAll(/^_|_$/g, '') || 'api'
  }`.slice(0, 255)
