/** Where imported operations lead: procedures of a realm, or an upstream. */
import type { JsonMap } from '#component/syntax/values.ts'
import type { Part } from './part.ts'

/** What a person says of an import. */
export interface ImportOptions {
  readonly realm_uri: string
  /** undefined: any host. */
  readonly host?: string | undefined
  /** undefined: made of the realm and the title. */
  readonly id?: string | undefined
  /** Of procedures; undefined: the realm. */
  readonly prefix?: string | undefined
  /** The upstream of operations that name no procedure; undefined: they call one. */
  readonly forward?: URL | undefined
  /** undefined: all of the document. */
  readonly part?: Part | undefined
}

/** Where the operations of one document lead. */
export interface Target {
  readonly prefix: string
  /** The members of a `forward` beside its type, by the pattern of the path; undefined: operations call procedures. */
  readonly forward: ((pattern: string) => JsonMap) | undefined
}

/** @param basePath of the API, without a slash at the end */
export function targetOf(options: ImportOptions, basePath: string): Target {
  const { realm_uri, prefix = realm_uri, forward } = options
  return { prefix, forward: forward && ((pattern) => forwardOf(forward, basePath, pattern)) }
}

/** The URL stands in place of the server that the OpenAPI document names, so its path stands in place of the base path. */
function forwardOf(url: URL, basePath: string, pattern: string): JsonMap {
  const host = '{{variables.upstream}}'
  const path = withoutSlash(url.pathname)
  if (path === basePath) return { host }
  if (path === '') return { host, strip_prefix: basePath }
  return { host, path: path + pattern.split('/').map(segmentOf).join('/') }
}

const segmentOf = (segment: string): string => {
  if (segment === '[...]') return '{{request.bindings.rest}}'
  return segment.replaceAll(/\{([^{}]+)\}|^:(.+)$/g, (_, part?: string, whole?: string) => {
    return `{{request.bindings.${part ?? whole}}}`
  })
}

/** A path without a slash at its end; `/` is ''. */
export const withoutSlash = (path: string): string => path.replace(/\/+$/, '')
