/** Text for the path or the query of a URL: what the document writes stands as it is, what comes from a request is escaped. */
import type { Issue } from '#component/errors.ts'
import { joinNodes } from './compile.ts'
import { deferred, type Node, runOf } from './nodes.ts'
import { Site } from './site.ts'
import { textOf } from './text.ts'
import { isScalar } from './values.ts'

type Place = 'path' | 'query'

/** How values are escaped. */
export interface UrlEscapes {
  /** A value of the request. */
  encode(text: string, place: Place): string
  /** A value that is escaped already, or that the document lets pass by `url:raw`. */
  raw(text: string, place: Place): string
}

/** What is escaped already as it came. */
const rawReads: ReadonlySet<string> = new Set(['request.path', 'request.query_string'])

/**
 * The node of a text for a URL, made of the node of its field. Variables that are texts with expressions in them are
 * taken apart in the same way; what a function makes of a value counts as that value.
 * @param place where the text begins; behind a `?` of the document it is the query
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
  const escaped = (node: Node, site: Site): Node => {
    if (node.kind === 'constant' && String(node.value).includes('?')) at = 'query'
    if (node.kind === 'constant' || node.kind === 'broken') return node
    const joined = node.kind === 'deferred' ? node.joined : undefined
    if (joined) {
      const nodes = joined.nodes.map((part, index) => escaped(part, joined.sites[index] ?? site))
      return joinNodes(nodes, joined.sites, joined.whole, issues)
    }
    const isOfRaw = [...node.reads].every((read) => rawReads.has(read))
    const isRead = node.kind === 'deferred' && node.keys !== undefined
    const isAsItCame = isRead && (at === 'query' || node.reads.has('request.path'))
    if (isOfRaw && (isAsItCame || node.reads.size === 0)) return node
    const isRaw = isOfRaw || (node.kind === 'deferred' && node.isRaw)
    const escapeOf = isRaw ? escapes.raw : escapes.encode
    const here = at
    const run = runOf(node)
    const isWhole = node === field
    return deferred(
      (context) => {
        const value = run(context)
        // a map, a list or null that is the whole field is no text, as in other fields
        if (isWhole && (value === null || !isScalar(value))) return value
        return escapeOf(textOf(value, site), here)
      },
      [node],
      1,
      site,
    )
  }
  return escaped(field, new Site('', path, 0, 0))
}
