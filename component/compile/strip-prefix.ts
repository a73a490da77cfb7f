/** `strip_prefix` of a forward: the path of the request without its first segments, in place of `path`. */
import type { Members } from '#component/expression/compile.ts'
import { type Context, deferred } from '#component/expression/nodes.ts'
import type { PathReading } from '#component/gateway/api.ts'
import type { RequestView } from '#component/gateway/context.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { type KeyedForm, parsePathPattern, partsIn } from '#component/syntax/path-pattern.ts'
import { decodeEscapes } from '#component/syntax/request-target.ts'
import type { Findings } from './fold-check.ts'

/** The decoded segments of a fixed path; undefined for any other value, which has been reported. */
function segmentsOf(prefix: unknown): readonly string[] | undefined {
  const parsed = typeof prefix === 'string' ? parsePathPattern(prefix) : undefined
  const [form] = parsed && 'forms' in parsed ? parsed.forms : []
  const texts = form?.map((segment) => (segment.kind === 'literal' ? segment.text : undefined))
  return texts?.every((text) => text !== undefined) ? texts : undefined
}

/** Whether a path of the form can begin with the segments. */
function canBegin({ form }: KeyedForm, segments: readonly string[]): boolean {
  for (const [index, text] of segments.entries()) {
    const segment = form[index]
    if (segment?.kind === 'rest') return true
    if (segment === undefined || (segment.kind === 'literal' && segment.text !== text)) return false
    if (segment.kind === 'parts' && partsIn(segment, text) === undefined) return false
  }
  return true
}

/** The path, as received, without the segments; whole where it does not begin with them. */
function withoutPrefix(path: string, segments: readonly string[]): string {
  let at = 0
  for (const text of segments) {
    if (at >= path.length) return path
    const slash = path.indexOf('/', at + 1)
    const end = slash < 0 ? path.length : slash
    if (decodeEscapes(path.slice(at + 1, end)) !== text) return path
    at = end
  }
  return path.slice(at) || '/'
}

/** How the path of an operation's requests is matched and read. */
interface OwnPath {
  /** Those of its pattern; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  readonly reading: PathReading
}

/** The path of a request as an upstream gets it. */
const sentPath =
  ({ dropsFinalSlash }: PathReading) =>
  (request: Context['request']): string => {
    const { path, receivedPath } = request as RequestView
    return dropsFinalSlash ? path : receivedPath
  }

/**
 * The node for `path` of a forward that does not set it; undefined where the path of the request stays as it was received, or cannot be used.
 * @param action the compiled forward
 * @param pathOf the JSON Pointer of one of its keys
 */
export function ownPath(
  action: Members,
  pathOf: (key: string) => string,
  findings: Findings,
  own: OwnPath,
): Live | undefined {
  if (action.has('strip_prefix')) return strippedPath(action, pathOf, findings, own)
  if (action.has('path') || !own.reading.dropsFinalSlash) return undefined
  const pathOfRequest = sentPath(own.reading)
  return deferred(({ request }) => pathOfRequest(request), [])
}

/**
 * The node for `path`; undefined without `strip_prefix`, or when it cannot be used.
 */
function strippedPath(
  action: Members,
  pathOf: (key: string) => string,
  { issues }: Findings,
  { forms, reading }: OwnPath,
): Live | undefined {
  const prefix = action.get('strip_prefix')
  if (prefix === undefined || prefix.kind === 'broken') return undefined
  const path = pathOf('strip_prefix')
  const refuse = (message: string): undefined => {
    issues.push({ path, message })
  }
  if (prefix.kind !== 'constant') {
    return refuse('strip_prefix must be known at load: it may not depend on the request')
  }
  if (action.get('path')) {
    return refuse('it shortens the path of the request, but path names another: remove one of them')
  }
  const segments = segmentsOf(prefix.value)
  if (segments === undefined) return undefined
  if (forms.length > 0 && !forms.some((form) => canBegin(form, segments))) {
    return refuse('no path that this operation serves begins with it')
  }
  const pathOfRequest = sentPath(reading)
  return deferred(({ request }) => withoutPrefix(pathOfRequest(request), segments), [])
}
