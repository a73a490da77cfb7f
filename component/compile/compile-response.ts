/** Compiles `on_result` and `on_error`, and the `Vary` of their headers. */
import type { Members } from '#component/expression/compile.ts'
import type { CompiledPath, Computed, ResponsePlan } from '#component/gateway/api.ts'
import {
  foldLayers,
  type HeaderLayer,
  type Headers,
  type Live,
  layerOf,
  layOver,
} from '#component/gateway/header-layers.ts'
import type { ResponseCheck } from '#component/gateway/schemas/response-check.ts'
import { readStatus } from '#component/syntax/http-field.ts'
import type { Interner } from './interner.ts'

/**
 * @param declared the members of the declaration; none where the document has none
 * @param pathOf the JSON Pointer of one of its keys
 * @param below headers known at load that hold unless the declaration sets them
 * @param layers the layers between them and the declaration's own headers
 * @param check of the body
 */
export function compileResponse(
  declared: Members,
  pathOf: (key: string) => string,
  below: Headers,
  layers: readonly HeaderLayer[],
  check: ResponseCheck | undefined,
  interner: Interner,
): ResponsePlan {
  const field = (key: string): Live | undefined => {
    const node = declared.get(key)
    return node?.kind === 'broken' ? undefined : node
  }
  const computed = (key: string): Computed | undefined => {
    const node = field(key)
    return node && { node, path: pathOf(key) }
  }
  const status = computed('status_code')
  const { headers, layers: left } = foldLayers(below, [...layers, layerOf(field('headers'))])
  const makePlan = (): ResponsePlan => ({
    headers,
    layers: left,
    status: status?.node.kind === 'constant' ? readStatus(status.node.value) : status,
    body: field('body'),
    uri: computed('uri'),
    extent: extentOf(computed('first'), computed('length')),
    check,
  })
  const isSilent = left.length === 0 && !check && declared.size === 0
  return isSilent ? interner.share('response', makePlan, headers) : makePlan()
}

const extentOf = (first: Computed | undefined, length: Computed | undefined) =>
  first || length ? { first, length } : undefined

/** Every node of a declaration that is evaluated for a request, beside those of its extent. */
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

/** The nodes that tell where a body stands in the whole: of the raw pieces of a call they read the first one. */
export const extentNodes = ({ extent }: Pick<ResponsePlan, 'extent'>): Live[] =>
  [extent?.first, extent?.length].flatMap((one) => (one ? [one.node] : []))

/** The headers of a path with `Vary` (RFC 9110 §12.5.5) for bodies that the gateway encodes; an upstream's answer has its own `Vary`. */
export function withVary(
  offered: readonly string[],
  { version, headers }: Pick<CompiledPath, 'version' | 'headers'>,
  interner: Interner,
): Headers {
  const names: string[] = []
  if (offered.length > 1) names.push('Accept')
  if (version.languages.length > 1) names.push('Accept-Language')
  if (names.length === 0) return headers
  const vary = names.join(', ')
  return interner.share(`vary ${vary}`, () => layOver({ vary }, headers), headers)
}
