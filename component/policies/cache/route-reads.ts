/** What the expressions of a route read: an answer may differ by each of it. */
import type { CompiledOperation, ResponsePlan } from '#component/gateway/api.ts'
import type { Live } from '#component/gateway/header-layers.ts'

/** Paths into request-time data, such as `request.headers.accept`. */
export function readsOf(route: CompiledOperation): readonly string[] {
  const { action, steps = [action], on_result, on_error, path } = route
  const nodes = [
    ...steps.flatMap(({ computed }) => computed.map(([, node]) => node)),
    ...nodesOf(on_result),
    ...nodesOf(on_error),
    ...path.layer.computed.map(([, node]) => node),
  ]
  return [...new Set(nodes.flatMap(({ reads }) => reads))].sort()
}

function nodesOf({ layers, status, body, uri }: ResponsePlan): readonly Live[] {
  const ofLayers = layers.flatMap(({ computed, whole }) => [
    ...computed.map(([, node]) => node),
    ...(whole ? [whole] : []),
  ])
  const others = [typeof status === 'object' ? status.node : undefined, body, uri?.node]
  return [...ofLayers, ...others.filter((node) => node !== undefined)]
}
