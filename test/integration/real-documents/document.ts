/** A real API Specification as a test sees it: its routes as requests, and what the document says of their answers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { initialStatusCodes } from '#component/spec/defaults.ts'

type Json = Readonly<Record<string, unknown>>

/** One operation of the document as one request. */
export interface Route {
  readonly method: string
  /** `POST /v1.0/orders/42` */
  readonly title: string
  readonly target: string
  readonly action: Json
  readonly onResult: Json
  readonly onError: Json
  /** Is the path protected, by whatever type? */
  readonly isSecured: boolean
  /** Is plain HTTP admitted? */
  readonly admitsHttp: boolean
  /** `variables` as the path sees them. */
  readonly variables: Json
}

/** A document of test/cases/specs. */
export interface RealSpec {
  readonly file: string
  readonly document: Json & { readonly id: string; readonly realm_uri: string }
  /** Hosts that match its pattern. */
  readonly hosts: readonly string[]
  readonly routes: readonly Route[]
  /** Procedures that it names without an expression, but for those that routers serve. */
  readonly procedures: readonly string[]
  /** What `status_codes` says of an error. */
  statusOf(error_uri: string): number
}

/** What each binding is given: an integer, so that `|> integer` passes. */
export const bindingValue = '42'

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const folder = join(import.meta.dirname, '../../cases/specs')

/** `/[v1.0]` is `/v1.0` and nothing. */
function formsOf(pattern: string): string[] {
  const at = pattern.indexOf('/[')
  const end = pattern.indexOf(']', at)
  if (at < 0) return [pattern]
  const rest = pattern.slice(end + 1)
  const inside = pattern.slice(at + 2, end)
  return [`${pattern.slice(0, at)}/${inside}${rest}`, `${pattern.slice(0, at)}${rest}`].flatMap(
    formsOf,
  )
}

const concrete = (path: string) =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? bindingValue : segment))
    .join('/')

/** The value behind `{{variables.name}}`. */
function resolve(value: unknown, variables: Json): unknown {
  if (typeof value !== 'string' || !value.startsWith('{{variables.')) return value
  return resolve(variables[value.slice('{{variables.'.length, -2)], variables)
}

const isProtected = (security: unknown) => Object.keys((security ?? {}) as Json).length > 0

function routesOf(document: Json): Route[] {
  const routes: Route[] = []
  for (const version of Object.values(document.versions as Record<string, Json>)) {
    for (const [pattern, path] of Object.entries(version.paths as Record<string, Json>)) {
      const merged = (key: string): Json => ({
        ...(document[key] as Json),
        ...(version[key] as Json),
        ...(path[key] as Json),
      })
      const variables = merged('variables')
      const defaults = merged('defaults')
      const schemes = resolve(path.schemes ?? defaults.schemes, variables) as string[]
      for (const method of methods.filter((name) => name in path)) {
        const { action, response } = path[method] as {
          action: Json
          response: Record<string, Json>
        }
        for (const base of formsOf(String(version.base_path))) {
          const target = concrete(`${base}${pattern}`)
          routes.push({
            method: method.toUpperCase(),
            title: `${method.toUpperCase()} ${target}`,
            target,
            action,
            onResult: response.on_result ?? {},
            onError: response.on_error ?? {},
            isSecured: isProtected(resolve(path.security ?? defaults.security, variables)),
            admitsHttp: schemes.includes('http'),
            variables,
          })
        }
      }
    }
  }
  return routes
}

const isStatic = (uri: unknown): uri is string => typeof uri === 'string' && !uri.includes('{{')

/** Procedures that routers serve themselves. */
export const isOfRouter = (uri: unknown): boolean => isStatic(uri) && uri.startsWith('wamp.')

/** Reads a document. */
export function readSpec(file: string, ...hosts: string[]): RealSpec {
  const document = JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8'))
  const routes = routesOf(document)
  const named = routes.map(({ action }) => action.procedure).filter(isStatic)
  return {
    file,
    document,
    hosts,
    routes,
    procedures: [...new Set(named)].filter((uri) => !isOfRouter(uri)),
    statusOf: (uri) => ({ ...initialStatusCodes, ...document.status_codes })[uri] ?? 500,
  }
}

/** Replaces each text by its meaning. @throws when the document says something that this test does not know */
export function meaning(value: unknown, words: Json): unknown {
  if (typeof value === 'string' && value.includes('{{')) {
    if (!Object.hasOwn(words, value)) throw new Error(`the test does not know ${value}`)
    return words[value]
  }
  if (Array.isArray(value)) return value.map((item) => meaning(item, words))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, meaning(member, words)]),
  )
}
