/** Circles in a graph of imports, and the imports that close them. */

/** Edges of a graph: from a node to another, and what the edge stands for. Several may join the same two nodes. */
export type Graph = readonly {
  readonly from: string
  readonly to: string
  readonly reason: string
}[]

function reachable(next: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const found = new Set<string>()
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const to of next.get(node) ?? []) {
      if (found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  }
  return found
}

/** The circles of a graph: sets of at least two nodes, each of which is reached from every other one of its set. */
export function circlesOf(graph: Graph): string[][] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of graph) next.set(from, (next.get(from) ?? new Set()).add(to))
  const reach = new Map([...next.keys()].map((node) => [node, reachable(next, node)]))
  const seen = new Set<string>()
  return [...reach].flatMap(([node, found]) => {
    if (seen.has(node)) return []
    const circle = [...found].filter((to) => to !== node && reach.get(to)?.has(node))
    for (const to of circle) seen.add(to)
    return circle.length > 0 ? [[node, ...circle].sort()] : []
  })
}

/**
 * The edges that must go for a graph to have no circle. As long as there is one, two of its nodes are parted: those whose
 * parting leaves the fewest nodes in circles, and of these the two that the fewest edges join. Gives what the edges stand for.
 */
export function upward(graph: Graph): string[] {
  const inCircles = new Set(circlesOf(graph).flat())
  if (inCircles.size === 0) return []
  const within = graph.filter(({ from, to }) => inCircles.has(from) && inCircles.has(to))
  const cuts = Object.values(Object.groupBy(within, ({ from, to }) => `${from} ${to}`))
    .map((edges = []) => ({ edges, left: within.filter((edge) => !edges.includes(edge)) }))
    .map((cut) => ({ ...cut, nodes: circlesOf(cut.left).flat().length }))
    .sort((a, b) => a.nodes - b.nodes || a.edges.length - b.edges.length)
  return [...(cuts[0]?.edges ?? []).map(({ reason }) => reason), ...upward(cuts[0]?.left ?? [])]
}
