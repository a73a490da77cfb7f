/** The fields of a forward whose values come from a request: what of them may cross is decided where they are compiled. */
import { checkRaw, encodeValue } from '#component/action/url-value.ts'
import type { Issue } from '#component/errors.ts'
import type { Node } from '#component/expression/compile.ts'
import { deferred, runOf } from '#component/expression/nodes.ts'
import { urlText } from '#component/expression/url-text.ts'
import { RequestView } from './context.ts'

const escapes = { encode: encodeValue, raw: checkRaw }

/** Expressions that take one header by its name read what was sent. */
const wholeHeaders = ['request', 'request.headers']

/** Copies of `request.headers` are without what only a gateway may tell an upstream (behaviour §4). */
function upstreamFields(node: Node): Node {
  if (node.kind === 'constant' || node.kind === 'broken') return node
  if (!wholeHeaders.some((read) => node.reads.has(read))) return node
  const run = runOf(node)
  return deferred(
    (context) => {
      const { request } = context
      return run(
        request instanceof RequestView ? { ...context, request: request.forUpstream } : context,
      )
    },
    [node],
  )
}

/** @param path JSON Pointer of the field */
type Compile = (node: Node, path: string, issues: Issue[]) => Node

/** What is made of the nodes of fields; other fields are taken as they are. */
export const forwardFields: Readonly<Record<string, Compile>> = {
  path: (node, path, issues) => urlText(node, 'path', path, escapes, issues),
  query_string: (node, path, issues) => urlText(node, 'query', path, escapes, issues),
  headers: upstreamFields,
}
