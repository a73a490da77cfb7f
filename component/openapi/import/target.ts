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
  /** Whether operations become procedures, which WAMP callers call and the HTTP service handles. */
  readonly isTurned?: boolean | undefined
  /** The upstream of operations that name no procedure; undefined: they call one. Of procedures the service; undefined: the first server. */
  readonly forward?: URL | undefined
  /** undefined: all of the document. */
  readonly part?: Part | undefined
}

/** Where the operations of one document lead. */
export interface Target {
  readonly prefix: string
  /** The members of a `forward` beside its type, by the pattern of the path; undefined: operations call procedures. */
  readonly forward: ((pattern: string) => JsonMap) | undefined
  /** Whether operations write the path of the upstream, in which a segment that may be absent has no text. */
  readonly writesPaths: boolean
}

/** @param basePath of the API, without a slash at the end */
export function targetOf(options: ImportOptions, basePath: string): Target {
  const { realm_uri, prefix = realm_uri, isTurned } = options
  const forward = isTurned ? undefined : options.forward
  return {
    prefix,
    forward: forward && ((pattern) => forwardOf(forward, basePath, pattern)),
    writesPaths:
      isTurned === true || (forward && 'path' in forwardOf(forward, basePath, '')) === true,
  }
}

/** The URL stands in place of the server that the OpenAPI document names, so its path stands in place of the base path. */
function forwardOf(url: URL, basePath: string, pattern: string): JsonMap {
  const host = '{{variables.upstream}}'
  const path = withoutSlash(url.pathname)
  if (path === basePath) return { host }
  if (path === '') return { host, strip_prefix: basePath }
  return { host, path: path + pathOfBindings(pattern, 'request.bindings').path }
}

/** A pattern as the path of a forward. @param map what has the bindings @returns with their names */
export function pathOfBindings(
  pattern: string,
  map: string,
): { readonly path: string; readonly names: readonly string[] } {
  const names: string[] = []
  const bound = (name: string): string => {
    names.push(name)
    return `{{${map}.${name}}}`
  }
  const segmentOf = (segment: string): string =>
    segment === '[...]'
      ? bound('rest')
      : segment.replaceAll(/\{([^{}]+)\}|^:(.+)$/g, (_, part?: string, whole?: string) =>
          bound(part ?? whole ?? ''),
        )
  return { path: pattern.split('/').map(segmentOf).join('/'), names }
}

/** A path without a slash at its end; `/` is ''. */
export const withoutSlash = (path: string): string => path.replace(/\/+$/, '')
