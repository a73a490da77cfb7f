/** Compiles `on_result` and `on_error`, and the `Vary` of their headers. */
import type { Issue } from '#component/errors.ts'
import { keysOf, member, type Node } from '#component/expression/compile.ts'
import type {
  CompiledPath,
  Computed,
  InheritedValues,
  ResponsePlan,
} from '#component/gateway/api.ts'
import {
  foldLayers,
  type HeaderLayer,
  type Headers,
  type Live,
  layerOf,
  layOver,
} from '#component/gateway/header-layers.ts'
import { readStatus } from '#component/syntax/http-field.ts'

/** Plans of declarations without keys, by their headers: thousands of operations share them. */
const silent = new WeakMap<Headers, ResponsePlan>()

/**
 * @param response the compiled declaration; undefined when the document has none
 * @param pathOf the JSON Pointer of one of its keys
 * @param below headers known at load that hold unless the declaration sets them
 * @param layers the layers between them and the declaration's own headers
 */
export function compileResponse(
  response: Node | undefined,
  pathOf: (key: string) => string,
  below: Headers,
  layers: readonly HeaderLayer[],
  issues: Issue[],
): ResponsePlan {
  if (response?.kind === 'deferred') {
    const message = 'a response declaration must be a map whose keys are known at load'
    issues.push({ path: pathOf(''), message })
  }
  const field = (key: string): Live | undefined => {
    const node = response && member(response, key)
    return node?.kind === 'broken' ? undefined : node
  }
  const computed = (key: string): Computed | undefined => {
    const node = field(key)
    return node && { node, path: pathOf(key) }
  }
  const status = computed('status_code')
  const { headers, layers: left } = foldLayers(below, [...layers, layerOf(field('headers'))])
  const isSilent = left.length === 0 && (!response || keysOf(response)?.length === 0)
  const known = isSilent ? silent.get(headers) : undefined
  if (known) return known
  const plan: ResponsePlan = {
    headers,
    layers: left,
    status: status?.node.kind === 'constant' ? readStatus(status.node.value) : status,
    body: field('body'),
    uri: computed('uri'),
  }
  if (isSilent) silent.set(headers, plan)
  return plan
}

/** Every node of a declaration that is evaluated for a request. */
export function nodesOf({ layers, status, body, uri }: ResponsePlan): Live[] {
  const nodes = layers.flatMap(({ computed, whole }) => [
    ...computed.map(([, node]) => node),
    ...(whole ? [whole] : []),
  ])
  if (typeof status === 'object') nodes.push(status.node)
  if (body) nodes.push(body)
  if (uri) nodes.push(uri.node)
  return nodes
}

/** By headers, then by `Vary`: thousands of operations share one object. */
const varied = new WeakMap<Headers, Map<string, Headers>>()

/** The headers of a path with `Vary` (RFC 9110 §12.5.5) for bodies that the gateway encodes; an upstream's answer has its own `Vary`. */
export function withVary(
  { provides }: Pick<InheritedValues, 'provides'>,
  { version, headers }: Pick<CompiledPath, 'version' | 'headers'>,
): Headers {
  const names: string[] = []
  if (provides.length > 1) names.push('Accept')
  if (version.languages.length > 1) names.push('Accept-Language')
  if (names.length === 0) return headers
  const vary = names.join(', ')
  const ofHeaders = varied.get(headers) ?? new Map<string, Headers>()
  const result = ofHeaders.get(vary) ?? layOver({ vary }, headers)
  varied.set(headers, ofHeaders.set(vary, result))
  return result
}
