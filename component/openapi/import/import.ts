/** An OpenAPI document as an API Specification, and what of it is not carried over. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { methods } from '#component/request.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { fitSchemas } from './fit.ts'
import { hoistSecurity } from './hoist.ts'
import type { Losses } from './losses.ts'
import { type Judge, mend } from './mend.ts'
import { mapped } from './origins.ts'
import { isLess, type Part } from './part.ts'
import { literal } from './path-templates.ts'
import { pathsOf } from './paths.ts'
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
  const { part = whole } = options
  const schemas = new Schemas(source, !isLess(part))
  const security = new Security(source, basePath)
  const shared = security.ofDocument(openapi)
  const title = typeof info.title === 'string' ? info.title : undefined
  const { byPattern, base = basePath } = pathsOf({
    ...{ source, schemas, security, part },
    target: targetOf(options, basePath),
    procedures: new Map(),
    operationIds: new Set(),
  })
  schemas.convertReferred()
  const inherited = hoistSecurity(byPattern, shared)
  const published = publishedOf(source, info)
  const version = {
    base_path: base || '/',
    ...(isMap(openapi.info) && { info: textsOf(info) }),
    ...(published && { openapi: published }),
    ...(inherited && Object.keys(inherited).length > 0 && { defaults: { security: inherited } }),
    paths: mapped(byPattern, '/paths'),
  }
  const label = typeof info.version === 'string' && info.version !== '' ? info.version : '1.0'
  const { realm_uri, host = '_', id = idOf(realm_uri, title), forward } = options
  const document = {
    id,
    ...(title !== undefined && { name: title }),
    ...{ host, realm_uri },
    ...(forward && { variables: { upstream: forward.origin } }),
    ...(Object.keys(schemas.named).length > 0 && {
      schemas: mapped(schemas.named, '/components/schemas'),
    }),
    versions: { [label]: version },
  }
  fitSchemas(document, schemas.named, losses)
  const issues = mend(document, judge, losses)
  const isEmpty = Object.values(byPattern).every(
    (path) => !methods.some((method) => Object.hasOwn(path as object, method)),
  )
  const count = isMap(openapi.paths) ? Object.keys(openapi.paths).length : 0
  const message = `nothing is left: ${count} of ${count} paths have no operation`
  const nothing = isEmpty ? [{ path: '/paths', message }] : []
  return { document, losses: losses.all(), issues: [...issues, ...nothing] }
}

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

/** The path of the first server, without a slash at its end. */
function basePathOf(source: Source): string {
  const [first, ...others] = source.members({ map: source.document, at: '' }, 'servers')
  for (const { at } of others) source.losses.tell(at, 'only the path of the first server is used')
  if (typeof first?.map.url !== 'string') return ''
  const url = first.map.url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = memberOf(memberOf(first.map.variables, name), 'default')
    const path = pointer(first.at, 'variables', name)
    source.losses.tell(path, `the variable has its default: ${String(value)}`)
    return value === undefined ? whole : String(value)
  })
  const path = URL.parse(url, 'http://localhost')?.pathname
  if (path === undefined) source.losses.tell(pointer(first.at, 'url'), 'it is not a URL')
  const segments = withoutSlash(path ?? '')
    .split('/')
    .slice(1)
  if (segments.includes(''))
    source.losses.tell(pointer(first.at, 'url'), 'the path has empty segments: they are left out')
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
