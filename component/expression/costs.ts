/** What a node of a compiled value costs, and what it reads of a request: both are known at load. */
import type { Node } from './nodes.ts'

/** The costs of one evaluation of a node. */
export interface Costs {
  /** Dotted prefixes, up to three keys deep, of the request-time data that is read. */
  readonly reads: ReadonlySet<string>
  /** Static cost: about the number of operations of one evaluation. */
  readonly steps: number
  /** How deep evaluations call each other. */
  readonly depth: number
  /** May the same request-time data show more than once in the value? Then the size of the value is checked. */
  readonly repeats: boolean
}

export const readNothing: ReadonlySet<string> = new Set()

/** Paths repeat: sets of one are shared. */
const knownReads = new Map<string, ReadonlySet<string>>()
const mostKnownReads = 1000

/** A set of one path. */
export function readOnly(read: string): ReadonlySet<string> {
  const known = knownReads.get(read)
  if (known) return known
  const reads = new Set([read])
  if (knownReads.size >= mostKnownReads) knownReads.clear()
  knownReads.set(read, reads)
  return reads
}

/** A node that reads more paths than this is said to read whole roots, so that sums stay cheap. */
const mostReads = 256

/** The costs of a node made of others. An infinite depth marks a broken part. */
export function sumUp(nodes: Iterable<Node>): Costs {
  const live: Costs[] = []
  let steps = 1
  let depth = 0
  let repeats = false
  for (const node of nodes) {
    if (node.kind === 'constant') continue
    if (node.kind === 'broken') {
      depth = Number.POSITIVE_INFINITY
      continue
    }
    live.push(node)
    steps += node.steps
    depth = Math.max(depth, node.depth)
    repeats ||= node.repeats
  }
  const [first] = live
  // most nodes have one part that waits for the request: what it reads is what they read
  if (live.length < 2)
    return { reads: first?.reads ?? readNothing, steps, depth: depth + 1, repeats }
  const joined = joinReads(live)
  return { reads: joined.reads, steps, depth: depth + 1, repeats: repeats || joined.repeats }
}

/** What several nodes read, and whether two of them read the same. */
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
  if (reads.size <= mostReads) return { reads, repeats }
  return { reads: new Set([...reads].map((read) => read.split('.', 1)[0] ?? read)), repeats: true }
}

/** Does one of the paths lie on, above or below one that was read before? */
function overlaps(
  paths: ReadonlySet<string>,
  reads: ReadonlySet<string>,
  above: ReadonlySet<string>,
): boolean {
  for (const path of paths) {
    if (reads.has(path) || above.has(path)) return true
    if (prefixesOf(path).some((prefix) => reads.has(prefix))) return true
  }
  return false
}

/** Paths repeat. */
const knownPrefixes = new Map<string, readonly string[]>()

/** `a.b.c`: `a` and `a.b`. */
function prefixesOf(read: string): readonly string[] {
  const known = knownPrefixes.get(read)
  if (known) return known
  const prefixes: string[] = []
  for (let dot = read.indexOf('.'); dot >= 0; dot = read.indexOf('.', dot + 1)) {
    prefixes.push(read.slice(0, dot))
  }
  if (knownPrefixes.size >= mostKnownReads) knownPrefixes.clear()
  knownPrefixes.set(read, prefixes)
  return prefixes
}
