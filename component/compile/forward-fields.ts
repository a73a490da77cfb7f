/** Compiles the fields of a forward so that values of a request are escaped or filtered before they reach an upstream. */
import { checkRaw, encodeValue, encodeWithSlashes } from '#component/action/forward/url-value.ts'
import type { Issue } from '#component/errors.ts'
import { joinNodes, type Node } from '#component/expression/compile.ts'
import { type Context, constant, deferred, runOf } from '#component/expression/nodes.ts'
import { type Received, type UrlEscapes, urlText } from '#component/expression/url-text.ts'
import type { PathReading } from '#component/gateway/api.ts'
import { RequestView } from '#component/gateway/context.ts'
import { decodeEscapes, hasEscapedSlash } from '#component/syntax/request-target.ts'
import type { FieldCompilers, FieldPlace } from './field-compiler.ts'
import type { Findings } from './fold-check.ts'

const inQuery: UrlEscapes = { encode: encodeValue, raw: checkRaw, received: new Map() }

/** Paths that copy all headers; an expression that reads one header by its name sees it as it was sent. */
const wholeHeaders = ['request', 'request.headers']

/** Copies of `request.headers` lack the fields that only a gateway may set for an upstream (behaviour §4). */
function upstreamFields(node: Node): Node {
  if (node.kind === 'constant' || node.kind === 'broken') return node
  if (!wholeHeaders.some((read) => node.reads.includes(read))) return node
  const run = runOf(node)
  return deferred(
    (context) => {
      const { request } = context
      return run(
        request instanceof RequestView
          ? { ...context, request: request.forUpstream, counted: context.counted ?? request }
          : context,
      )
    },
    [node],
    { source: node },
  )
}

/** Whether the text begins with a percent-encoded value, and so never with a slash. */
function beginsEncoded(node: Node | undefined): boolean {
  if (node?.kind !== 'deferred') return false
  if (node.joined) return beginsEncoded(node.joined.nodes[0])
  return !node.isRaw && node.reads.some((read) => read !== 'request.path')
}

/** The path of a request, as received, or without the slash at its end. */
const pathOf = (request: Context['request'], isWithSlash: boolean): string => {
  const { path, receivedPath } = request as RequestView
  return isWithSlash ? receivedPath : path
}

/**
 * The rest of the path that `[...]` matches, as received: a client's `%2C`, `,` and trailing slash stay what they are.
 * @param rest decoded
 */
function restOf(rest: unknown, request: Context['request'], isWithSlash: boolean): string {
  if (rest === '') return ''
  const path = pathOf(request, false)
  const text = String(rest)
  let slash = path.length
  if (hasEscapedSlash(path)) {
    // an escaped slash is one in the decoded text, too: the rest is the part that is as long when it is decoded
    do slash = path.lastIndexOf('/', slash - 1)
    while (slash > 0 && (decodeEscapes(path.slice(slash + 1))?.length ?? 0) < text.length)
  } else for (const _segment of text.split('/')) slash = path.lastIndexOf('/', slash - 1)
  return pathOf(request, isWithSlash).slice(slash + 1)
}

/**
 * Where the client's own path goes on, it stands as received, but for the slash at its end where a path says so.
 * @param hasRest whether `rest` is what `[...]` matches
 */
function receivedIn({ dropsFinalSlash }: PathReading, hasRest: boolean): UrlEscapes['received'] {
  const wholePath: Received = (path, { request }, _isBeforeSlash, isLast) =>
    isLast && !dropsFinalSlash ? pathOf(request, true) : path
  const rest: Received = (value, { request }, isBeforeSlash) =>
    restOf(value, request, !isBeforeSlash && !dropsFinalSlash)
  return new Map([
    ['request.path', wholePath],
    ...(hasRest ? [['request.bindings.rest', rest] as const] : []),
  ])
}

function pathText(node: Node, { path, forms, reading }: FieldPlace, findings: Findings): Node {
  const { issues, warnings } = findings
  if (beginsEncoded(node)) {
    const message = 'it begins with a value that is percent-encoded, but a path must begin with "/"'
    warnings.push({
      path,
      message: `${message}: write "/{{…}}", or pass the value through url:raw`,
    })
  }
  const encode = reading.keepsSlashes ? encodeWithSlashes : encodeValue
  const hasRest = forms.some(({ form }) => form.at(-1)?.kind === 'rest')
  const escapes = { encode, raw: checkRaw, received: receivedIn(reading, hasRest) }
  return urlText(node, 'path', path, escapes, issues)
}

/** Without the `?` with which the document begins a query; `?` may be the first character of the request's query, which stays. */
function withoutMark(node: Node, issues: Issue[]): Node {
  if (node.kind === 'constant') {
    const { value } = node
    return typeof value === 'string' && value.startsWith('?') ? constant(value.slice(1)) : node
  }
  const joined = node.kind === 'deferred' ? node.joined : undefined
  if (joined === undefined) return node
  const { nodes, sites, whole } = joined
  const at = nodes.findIndex((part) => part.kind !== 'constant' || part.value !== '')
  const first = nodes[at]
  const begun = first && withoutMark(first, issues)
  if (begun === undefined || begun === first) return node
  return joinNodes(nodes.with(at, begun), sites, whole, issues)
}

/** Those of a forward. */
export const forwardForms: FieldCompilers = {
  path: pathText,
  query: (node, { path }, { issues }) =>
    withoutMark(urlText(node, 'query', path, inQuery, issues), issues),
  upstream_headers: upstreamFields,
}
