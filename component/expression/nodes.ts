/** What compiling yields: a value that is known, or a tree of which parts wait for a request (the "promise"). */
import { ExpressionError } from '#component/errors.ts'
import { beginEvaluation, outputLimit, treeSize } from './budget.ts'
import type { Context } from './scope.ts'
import type { Site } from './site.ts'
import { setOwn } from './values.ts'

/** Reads or computes a value within a running evaluation. */
export type Run = (context: Context) => unknown

/** What every node but Broken tells. */
interface Known {
  /** The value for one request; ExpressionError when an expression fails. One evaluation with its own budget. */
  evaluate(context: Context): unknown
  /** Dotted prefixes, up to three keys deep, of the request-time data that is read. */
  readonly reads: ReadonlySet<string>
  /** Static cost: about the number of operations of one evaluation. */
  readonly steps: number
  /** How deep evaluations call each other. */
  readonly depth: number
  /** May the same request-time data show more than once in the value? Then the size of the value is checked. */
  readonly repeats: boolean
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
  /** The keys, when it is nothing but a path into request-time data. */
  readonly keys?: readonly string[]
}

/** A map with known keys, of which at least one member is not constant. */
export interface MapNode extends Known {
  readonly kind: 'map'
  readonly run: Run
  readonly entries: ReadonlyMap<string, Node>
  /** Are the members compiled only when they are asked for? Then it is settled before it is evaluated. */
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

const nothing: ReadonlySet<string> = new Set()

class ConstantNode implements Constant {
  readonly kind = 'constant'
  readonly value: unknown
  readonly reads = nothing
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

/** Does an issue stand behind the node, or behind any part of it? */
export function isBroken(node: Node): boolean {
  if (node.kind === 'broken') return true
  return node.kind !== 'constant' && node.depth === Number.POSITIVE_INFINITY
}

/** A node that reads more paths than this is said to read whole roots, so that sums stay cheap. */
const mostReads = 256

/** The costs of a node made of others. An infinite depth marks a broken part. */
export function sumUp(nodes: Iterable<Node>): Omit<Known, 'evaluate'> {
  const reads = new Set<string>()
  const above = new Set<string>()
  let steps = 1
  let depth = 0
  let repeats = false
  for (const node of nodes) {
    if (node.kind === 'constant') continue
    if (node.kind === 'broken') {
      depth = Number.POSITIVE_INFINITY
      continue
    }
    steps += node.steps
    depth = Math.max(depth, node.depth)
    repeats ||= node.repeats
    repeats ||= overlaps(node.reads, reads, above)
    for (const read of node.reads) {
      reads.add(read)
      for (const prefix of prefixesOf(read)) above.add(prefix)
    }
  }
  if (reads.size <= mostReads) return { reads, steps, depth: depth + 1, repeats }
  const roots = new Set([...reads].map((read) => read.split('.', 1)[0] ?? read))
  return { reads: roots, steps, depth: depth + 1, repeats: true }
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

/** `a.b.c`: `a` and `a.b`. */
function prefixesOf(read: string): string[] {
  const prefixes: string[] = []
  for (let dot = read.indexOf('.'); dot >= 0; dot = read.indexOf('.', dot + 1)) {
    prefixes.push(read.slice(0, dot))
  }
  return prefixes
}

/** One evaluation from outside: a budget of its own, and a check of what is referred to more than once. */
function evaluation(run: Run, repeats: boolean, site?: Site): Run {
  if (!repeats) {
    return (context) => {
      beginEvaluation()
      return run(context)
    }
  }
  return (context) => {
    beginEvaluation()
    const value = run(context)
    if (typeof value === 'object' && treeSize(value) > outputLimit) {
      site?.fail('the result is larger than 32 MiB')
      throw new ExpressionError('the value of a map or list is larger than 32 MiB')
    }
    return value
  }
}

/** A path into request-time data: it builds nothing, so it needs no budget. */
export function readNode(keys: readonly string[], run: Run): Deferred {
  const reads = new Set([keys.slice(0, 3).join('.')])
  return { kind: 'deferred', run, evaluate: run, reads, steps: 1, depth: 1, repeats: false, keys }
}

/** A computation over other nodes; `site` is where it is written, for errors. */
export function deferred(run: Run, over: Iterable<Node>, extraSteps = 0, site?: Site): Deferred {
  const costs = sumUp(over)
  const steps = costs.steps + extraSteps
  return { kind: 'deferred', run, ...costs, steps, evaluate: evaluation(run, costs.repeats, site) }
}

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
  return { kind: 'map', run, entries, ...costs, evaluate: evaluation(run, costs.repeats) }
}

/** What lazy maps came to: many expressions look into one map. */
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
  return { kind: 'list', run, items, ...costs, evaluate: evaluation(run, costs.repeats) }
}

const isBrokenDepth = (depth: number): boolean => depth === Number.POSITIVE_INFINITY
