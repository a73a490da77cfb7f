/** Compiled values: constants, or trees with parts that wait for a request. */
import { ExpressionError } from '#component/errors.ts'
import { beginEvaluation, outputLimit, treeSize } from './budget.ts'
import { type Costs, readNothing, readOnly, sumUp } from './costs.ts'
import type { Context } from './scope.ts'
import type { Site } from './site.ts'
import { setOwn } from './values.ts'

/** Reads or computes a value within a running evaluation. */
export type Run = (context: Context) => unknown

/** The members of every node but Broken. */
interface Known extends Costs {
  /** The value for one request; ExpressionError when an expression fails. One evaluation with its own budget. */
  evaluate(context: Context): unknown
}

/** Known at load; not to be changed. */
export interface Constant extends Known {
  readonly kind: 'constant'
  readonly value: unknown
}

/** Known per request only. */
export interface Deferred extends Known {
  readonly kind: 'deferred'
  readonly run: Run
  /** The keys, if it is just a path into request-time data. */
  readonly keys?: readonly string[]
  /** The parts of a text with expressions in it. */
  readonly joined?: Joined | undefined
  /** Whether the value enters a URL unescaped. */
  readonly isRaw?: boolean
}

/** The parts of a text: values, and where each of them is written. */
export interface Joined {
  readonly nodes: readonly Node[]
  readonly sites: readonly Site[]
  readonly whole: Site
}

/** A map with known keys, of which at least one member is not constant. */
export interface MapNode extends Known {
  readonly kind: 'map'
  readonly run: Run
  readonly entries: ReadonlyMap<string, Node>
  /** Whether members are compiled on demand: then the map is settled before it is evaluated. */
  readonly isLazy?: boolean
}

/** A list of known length, of which at least one item is not constant. */
export interface ListNode extends Known {
  readonly kind: 'list'
  readonly run: Run
  readonly items: readonly Node[]
}

/** An issue was reported instead. */
export interface Broken {
  readonly kind: 'broken'
}

/** A compiled value. */
export type Node = Constant | Deferred | MapNode | ListNode | Broken

export const broken: Broken = { kind: 'broken' }

class ConstantNode implements Constant {
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

export const constant = (value: unknown): Constant => new ConstantNode(value)

/** The closure of a node within a larger evaluation. */
export function runOf(node: Node): Run {
  if (node.kind === 'constant') return () => node.value
  if (node.kind === 'broken') throw new TypeError('a broken node is not evaluated')
  return node.run
}

/** Whether the node, or a part of it, is broken. */
export function isBroken(node: Node): boolean {
  if (node.kind === 'broken') return true
  return node.kind !== 'constant' && node.depth === Number.POSITIVE_INFINITY
}

/** The base of nodes that wait for a request. A class, so that thousands of them are small and have one shape. */
class Live implements Known {
  readonly run: Run
  readonly reads: ReadonlySet<string>
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

  /** One evaluation with its own budget; checks the size of a value with repeated parts. */
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

class DeferredNode extends Live implements Deferred {
  readonly kind = 'deferred'
  readonly #site: Site | undefined

  constructor(run: Run, costs: Costs, site: Site | undefined) {
    super(run, costs)
    this.#site = site
  }

  protected override refuse(): never {
    this.#site?.fail('the result is larger than 32 MiB')
    return super.refuse()
  }
}

class JoinedNode extends DeferredNode {
  readonly joined: Joined

  constructor(run: Run, costs: Costs, joined: Joined) {
    super(run, costs, undefined)
    this.joined = joined
  }
}

class RawNode extends DeferredNode {
  readonly isRaw = true
}

class ReadNode extends Live implements Deferred {
  readonly kind = 'deferred'
  readonly keys: readonly string[]

  constructor(run: Run, costs: Costs, keys: readonly string[]) {
    super(run, costs)
    this.keys = keys
  }

  /** It builds nothing, so it needs no budget. */
  override evaluate(context: Context): unknown {
    return this.run(context)
  }
}

class MapOfNodes extends Live implements MapNode {
  readonly kind = 'map'
  readonly entries: ReadonlyMap<string, Node>

  constructor(run: Run, costs: Costs, entries: ReadonlyMap<string, Node>) {
    super(run, costs)
    this.entries = entries
  }
}

class ListOfNodes extends Live implements ListNode {
  readonly kind = 'list'
  readonly items: readonly Node[]

  constructor(run: Run, costs: Costs, items: readonly Node[]) {
    super(run, costs)
    this.items = items
  }
}

/** A path into request-time data. */
export function readNode(keys: readonly string[], run: Run): Deferred {
  const reads = readOnly(keys.slice(0, 3).join('.'))
  return new ReadNode(run, { reads, steps: 1, depth: 1, repeats: false }, keys)
}

/**
 * A computation over other nodes.
 * @param site where it is written, for errors
 * @param isRaw whether the value enters a URL unescaped
 */
export function deferred(
  run: Run,
  over: Iterable<Node>,
  extraSteps = 0,
  site?: Site,
  isRaw = false,
): Deferred {
  const sum = sumUp(over)
  const costs = { ...sum, steps: sum.steps + extraSteps }
  return isRaw ? new RawNode(run, costs, site) : new DeferredNode(run, costs, site)
}

/** A text of several parts. */
export const joinedNode = (run: Run, joined: Joined): Deferred =>
  new JoinedNode(run, sumUp(joined.nodes), joined)

/** A map of nodes: constant when all of them are. */
export function mapNode(entries: ReadonlyMap<string, Node>): Constant | MapNode {
  let isConstant = true
  for (const node of entries.values()) isConstant &&= node.kind === 'constant'
  const keys = [...entries.keys()]
  if (isConstant) {
    const value: Record<string, unknown> = {}
    for (const [key, node] of entries) setOwn(value, key, (node as Constant).value)
    return constant(value)
  }
  const costs = sumUp(entries.values())
  const runs = isBrokenDepth(costs.depth) ? [] : [...entries.values()].map(runOf)
  const run: Run = (context) => {
    const value: Record<string, unknown> = {}
    for (let index = 0; index < keys.length; index++) {
      setOwn(value, keys[index] as string, (runs[index] as Run)(context))
    }
    return value
  }
  return new MapOfNodes(run, costs, entries)
}

/** Settled lazy maps: many expressions read one map. */
const settled = new WeakMap<MapNode, Node>()

/** A lazy map with all its members compiled; any other node as it is. */
export function settle(node: Node): Node {
  if (node.kind !== 'map' || !node.isLazy) return node
  const known = settled.get(node) ?? mapNode(new Map(node.entries))
  settled.set(node, known)
  return known
}

/** A list of nodes: constant when all of them are. */
export function listNode(items: readonly Node[]): Constant | ListNode {
  if (items.every((item) => item.kind === 'constant')) {
    return constant(items.map((item) => item.value))
  }
  const costs = sumUp(items)
  const runs = isBrokenDepth(costs.depth) ? [] : items.map(runOf)
  const run: Run = (context) => {
    const value: unknown[] = []
    for (const item of runs) value.push(item(context))
    return value
  }
  return new ListOfNodes(run, costs, items)
}

const isBrokenDepth = (depth: number): boolean => depth === Number.POSITIVE_INFINITY
