/** Text for the path or the query of a URL: the text of the document stays as it is, values of a request are escaped. */
import type { Issue } from '#component/errors.ts'
import { joinNodes } from './compile.ts'
import { type Context, deferred, type Node, type Run, runOf } from './nodes.ts'
import { Site } from './site.ts'
import { textOf } from './text.ts'
import { isScalar } from './values.ts'

type Place = 'path' | 'query'

/**
 * The text of a value that stands as it was received.
 * @param isBeforeSlash whether a slash of the document follows
 * @param isLast whether nothing follows
 */
export type Received = (
  value: unknown,
  context: Context,
  isBeforeSlash: boolean,
  isLast: boolean,
) => unknown

/** How values are escaped. */
export interface UrlEscapes {
  /** A value of the request. */
  encode(text: string, place: Place): string
  /** A value that is escaped already, or that the document passes through `url:raw`. */
  raw(text: string, place: Place): string
  /** By the path of a value: its text in a path, where it stands as it was received. */
  readonly received: ReadonlyMap<string, Received>
}

/** Data that is escaped already. */
const rawReads: ReadonlySet<string> = new Set(['request.path', 'request.query_string'])

/**
 * The node of a text for a URL, made of the node of its field. Variables with expressions in them are treated in the same
 * way; the result of a function is escaped like a value.
 * @param place the part of the URL that the text begins in; after a `?` of the document it is the query
 * @param path JSON Pointer of the field
 */
export function urlText(
  field: Node,
  place: Place,
  path: string,
  escapes: UrlEscapes,
  issues: Issue[],
): Node {
  let at = place
  const escaped = (node: Node, site: Site, next?: Node): Node => {
    if (node.kind === 'constant' && String(node.value).includes('?')) at = 'query'
    if (node.kind === 'constant' || node.kind === 'broken') return node
    const joined = node.kind === 'deferred' ? node.joined : undefined
    if (joined) {
      const nodes = joined.nodes.map((part, index) =>
        escaped(part, joined.sites[index] ?? site, joined.nodes[index + 1] ?? next),
      )
      return joinNodes(nodes, joined.sites, joined.whole, issues)
    }
    const keys = node.kind === 'deferred' ? node.keys : undefined
    const received = at === 'path' && keys ? escapes.received.get(keys.join('.')) : undefined
    if (received) {
      const read = runOf(node)
      const isBeforeSlash = next?.kind === 'constant' && String(next.value).startsWith('/')
      const isLast = next === undefined
      const asReceived: Run = (context) => received(read(context), context, isBeforeSlash, isLast)
      return deferred(asReceived, [node], { steps: 1, site, source: node })
    }
    const isOfRaw = node.reads.every((read) => rawReads.has(read))
    const isRead = node.kind === 'deferred' && node.keys !== undefined
    const isAsItCame = isRead && (at === 'query' || node.reads.includes('request.path'))
    if (isOfRaw && (isAsItCame || node.reads.length === 0)) return node
    const isRaw = isOfRaw || (node.kind === 'deferred' && node.isRaw)
    const escapeOf = isRaw ? escapes.raw : escapes.encode
    const here = at
    const run = runOf(node)
    const isWhole = node === field
    const place = site.of(node)
    return deferred(
      (context) => {
        const value = run(context)
        // a map, a list or null as the whole field stays as it is, as in other fields
        if (isWhole && (value === null || !isScalar(value))) return value
        return escapeOf(textOf(value, place), here)
      },
      [node],
      { steps: 1, site, source: node },
    )
  }
  return escaped(field, new Site('', path, 0, 0))
}
