/** Compiled values: constants, or trees with parts that wait for a request; what an evaluation of each costs, and which data it reads. */
import { ExpressionError } from '#component/errors.ts'
import { setOwn } from '#component/syntax/values.ts'
import { beginEvaluation, outputLimit, treeSize } from './budget.ts'
import type { Source } from './origin.ts'
import type { Site } from './site.ts'

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

const readNothing: readonly string[] = []

/** A node with more paths than this counts as reading whole roots, which keeps sums cheap. */
const mostReads = 256

/** The costs of a node made of others. An infinite depth marks a broken part. */
function sumUp(nodes: Iterable<Costs>): Costs {
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

/** The data of one request. */
export interface Context {
  readonly request: object
  /** Of the call of a procedure of the document; undefined where there is a request. */
  readonly invocation?: object | undefined
  /** Of an attempt of a delivery; undefined elsewhere. */
  readonly delivery?: object | undefined
  readonly action: object
  readonly security: object
  /** At least 0, less than 1. */
  readonly random: () => number
  /** `_`: the innermost item of the lists whose functions are running; absent: there is none. */
  readonly item?: unknown
  /** That of the evaluation which the items belong to; absent: it is this one. */
  readonly whole?: Context
  /** The object that its steps of items are counted for; absent: `request`. */
  readonly counted?: object
}

/** Reads or computes a value within a running evaluation. */
export type Run = (context: Context) => unknown

/** A compiled value. */
export type Node = Constant | Deferred | MapNode | ListNode | typeof broken

/** Stands for a value whose issue has been reported. Its depth marks every node that it is a part of. */
export const broken = {
  kind: 'broken',
  reads: readNothing,
  steps: 0,
  depth: Number.POSITIVE_INFINITY,
  repeats: false,
} as const

/** Whether the node, or a part of it, is broken. */
export const isBroken = ({ depth }: Costs): boolean => depth === Number.POSITIVE_INFINITY

/** Known at load; not to be changed. */
class Constant implements Costs {
  readonly kind = 'constant'
  readonly value: unknown
  readonly reads = readNothing
  readonly steps = 0
  readonly depth = 0
  readonly repeats = false

  constructor(value: unknown) {
    this.value = value
  }

  evaluate(): unknown {
    return this.value
  }
}

export const constant = (value: unknown): Constant => new Constant(value)

/** The closure of a node within a larger evaluation. */
export function runOf(node: Node): Run {
  if (node.kind === 'constant') return () => node.value
  if (node.kind === 'broken') throw new TypeError('a broken node is not evaluated')
  return node.run
}

/** The base of nodes that wait for a request. A class, so that thousands of them are small and have one shape. */
class Live implements Costs {
  readonly run: Run
  readonly reads: readonly string[]
  readonly steps: number
  readonly depth: number
  readonly repeats: boolean

  constructor(run: Run, { reads, steps, depth, repeats }: Costs) {
    this.run = run
    this.reads = reads
    this.steps = steps
    this.depth = depth
    this.repeats = repeats
  }

  /**
   * The value for one request; ExpressionError when an expression fails. One evaluation with its own budget, which checks
   * the size of a value with repeated parts.
   */
  evaluate(context: Context): unknown {
    beginEvaluation()
    const value = this.run(context)
    if (this.repeats && typeof value === 'object' && treeSize(value) > outputLimit) this.refuse()
    return value
  }

  protected refuse(): never {
    throw new ExpressionError('the value of a map or list is larger than 32 MiB')
  }
}

/** Known per request only. A member takes memory only in the class below that sets it. */
class Deferred extends Live {
  readonly kind = 'deferred'
  /** The keys, if it is just a path into request-time data. */
  declare readonly keys?: readonly string[]
  /** The parts of a text with expressions in it. */
  declare readonly joined?: Joined
  /** Whether the value enters a URL unescaped. */
  declare readonly isRaw?: boolean
  /** What the value is made of. */
  declare readonly source?: Node | Source | undefined
}

/** What is known at load of a computation beside its parts. */
interface Facts {
  /** Where it is written, for errors. */
  readonly site?: Site | undefined
  /** What the value is made of, if that says where it comes from. */
  readonly source?: Node | Source | undefined
  /** Whether the value enters a URL unescaped. */
  readonly isRaw?: boolean | undefined
  /** Operations of one evaluation beside those of its parts. */
  readonly steps?: number
}

class Computation extends Deferred {
  readonly site: Site | undefined
  override readonly source: Node | Source | undefined

  constructor(run: Run, costs: Costs, { site, source }: Facts) {
    super(run, costs)
    this.site = site
    this.source = source
  }

  protected override refuse(): never {
    this.site?.refuse('the result is larger than 32 MiB')
    return super.refuse()
  }
}

class RawNode extends Computation {
  override readonly isRaw = true
}

/** The parts of a text: values, and where each of them is written. */
interface Joined {
  readonly nodes: readonly Node[]
  readonly sites: readonly Site[]
  readonly whole: Site
}

class JoinedNode extends Deferred {
  override readonly joined: Joined

  constructor(run: Run, joined: Joined) {
    super(run, sumUp(joined.nodes))
    this.joined = joined
  }
}

class ReadNode extends Deferred {
  override readonly keys: readonly string[]

  constructor(run: Run, keys: readonly string[], reads: readonly string[]) {
    super(run, { reads, steps: 1, depth: 1, repeats: false })
    this.keys = keys
  }

  /** It builds nothing, so it needs no budget. */
  override evaluate(context: Context): unknown {
    return this.run(context)
  }
}

/** A map with known keys, of which at least one member is not constant. */
class MapNode extends Live {
  readonly kind = 'map'
  readonly entries: ReadonlyMap<string, Node>

  constructor(run: Run, costs: Costs, entries: ReadonlyMap<string, Node>) {
    super(run, costs)
    this.entries = entries
  }
}

/** A map whose members are compiled on demand; it is settled before it is evaluated. */
export class LazyMap extends MapNode {
  constructor(entries: ReadonlyMap<string, Node>) {
    const run = (): never => {
      throw new TypeError('a lazy map is settled before it is evaluated')
    }
    super(run, sumUp([]), entries)
  }
}

/** A list of known length, of which at least one item is not constant. */
class ListNode extends Live {
  readonly kind = 'list'
  readonly items: readonly Node[]

  constructor(run: Run, items: readonly Node[]) {
    super(run, sumUp(items))
    this.items = items
  }
}

/** A path into request-time data. */
export const readNode = (keys: readonly string[], run: Run, reads: readonly string[]): Deferred =>
  new ReadNode(run, keys, reads)

/** A computation over other nodes. */
export function deferred(run: Run, over: Iterable<Costs>, facts: Facts = {}): Deferred {
  const sum = sumUp(over)
  const costs = { ...sum, steps: sum.steps + (facts.steps ?? 0) }
  return facts.isRaw ? new RawNode(run, costs, facts) : new Computation(run, costs, facts)
}

/** A text of several parts. */
export const joinedNode = (run: Run, joined: Joined): Deferred => new JoinedNode(run, joined)

/** A map of nodes: constant when all of them are. */
export function mapNode(entries: ReadonlyMap<string, Node>): Constant | MapNode {
  const keys = [...entries.keys()]
  const nodes = [...entries.values()]
  if (nodes.every((node) => node.kind === 'constant')) {
    const value: Record<string, unknown> = {}
    for (const [index, node] of nodes.entries()) setOwn(value, keys[index] as string, node.value)
    return constant(value)
  }
  const runs = nodes.some(isBroken) ? [] : nodes.map(runOf)
  const run: Run = (context) => {
    const value: Record<string, unknown> = {}
    for (let index = 0; index < keys.length; index++) {
      setOwn(value, keys[index] as string, (runs[index] as Run)(context))
    }
    return value
  }
  return new MapNode(run, sumUp(nodes), entries)
}

/** A copy of a node that evaluates by another closure. */
export const withRun = <N extends Live>(node: N, run: Run): N =>
  Object.assign(Object.create(Object.getPrototypeOf(node)), node, { run })

/** Settled lazy maps: many expressions read one map. */
const settled = new WeakMap<MapNode, Node>()

/** A lazy map with all its members compiled; any other node as it is. */
export function settle(node: Node): Node {
  if (!(node instanceof LazyMap)) return node
  const known = settled.get(node) ?? mapNode(new Map(node.entries))
  settled.set(node, known)
  return known
}

/** A list of nodes: constant when all of them are. */
export function listNode(items: readonly Node[]): Constant | ListNode {
  if (items.every((item) => item.kind === 'constant')) {
    return constant(items.map((item) => item.value))
  }
  const runs = items.some(isBroken) ? [] : items.map(runOf)
  const run: Run = (context) => {
    const value: unknown[] = []
    for (const item of runs) value.push(item(context))
    return value
  }
  return new ListNode(run, items)
}
