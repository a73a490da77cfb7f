/** The cost of a compiled node, and the request-time data that it reads; both are known at load. */

/** The costs of one evaluation of a node. */
export interface Costs {
  /** Paths of the request-time data that is read, each once, cut to three keys. */
  readonly reads: readonly string[]
  /** Static cost: about the number of operations of one evaluation. */
  readonly steps: number
  /** Depth of the nested calls of one evaluation. */
  readonly depth: number
  /** Whether the same request-time data can occur more than once in the value, so that its size is checked. */
  readonly repeats: boolean
}

export const readNothing: readonly string[] = []

/** A node with more paths than this counts as reading whole roots, which keeps sums cheap. */
const mostReads = 256

/** The costs of a node made of others. An infinite depth marks a broken part. */
export function sumUp(nodes: Iterable<Costs>): Costs {
  const live: Costs[] = []
  let steps = 1
  let depth = 0
  let repeats = false
  for (const node of nodes) {
    if (node.reads.length > 0) live.push(node)
    steps += node.steps
    depth = Math.max(depth, node.depth)
    repeats ||= node.repeats
  }
  const [first] = live
  // most nodes have at most one part that waits for the request, and share its reads
  if (live.length < 2)
    return { reads: first?.reads ?? readNothing, steps, depth: depth + 1, repeats }
  const joined = joinReads(live)
  return { reads: joined.reads, steps, depth: depth + 1, repeats: repeats || joined.repeats }
}

/** The paths that several nodes read, and whether two nodes read the same. */
function joinReads(nodes: readonly Pick<Costs, 'reads'>[]): Pick<Costs, 'reads' | 'repeats'> {
  const reads = new Set<string>()
  const above = new Set<string>()
  let repeats = false
  for (const node of nodes) {
    repeats ||= overlaps(node.reads, reads, above)
    for (const read of node.reads) {
      reads.add(read)
      for (const prefix of prefixesOf(read)) above.add(prefix)
    }
  }
  if (reads.size <= mostReads) return { reads: [...reads], repeats }
  const roots = new Set([...reads].map((read) => read.split('.', 1)[0] ?? read))
  return { reads: [...roots], repeats: true }
}

/** Whether one of the paths equals, contains or lies in an earlier one. */
function overlaps(
  paths: readonly string[],
  reads: ReadonlySet<string>,
  above: ReadonlySet<string>,
): boolean {
  for (const path of paths) {
    if (reads.has(path) || above.has(path)) return true
    if (prefixesOf(path).some((prefix) => reads.has(prefix))) return true
  }
  return false
}

/** `a.b.c`: `a` and `a.b`. */
function prefixesOf(read: string): readonly string[] {
  const prefixes: string[] = []
  for (let dot = read.indexOf('.'); dot >= 0; dot = read.indexOf('.', dot + 1)) {
    prefixes.push(read.slice(0, dot))
  }
  return prefixes
}
