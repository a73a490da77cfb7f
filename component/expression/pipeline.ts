/** Compiles one expression: its path and its functions, evaluated as far as they are known at load. */
import type { Issue } from '#component/errors.ts'
import type { Parameter } from '#component/expression/functions/function.ts'
import { functionNames, functions } from '#component/expression/functions/functions.ts'
import { Watch } from '#component/expression/probe/watch.ts'
import type { Argument, Expression, Pipe } from './ast.ts'
import { beginEvaluation, charge, chargeLoad, nodeCost } from './budget.ts'
import { folds, kindSample } from './fold.ts'
import { costsOfItems, readsItem, readsItemOnly, spent } from './items.ts'
import {
  broken,
  type Context,
  type Costs,
  constant,
  deferred,
  isBroken,
  LazyMap,
  listNode,
  type Node,
  runOf,
  settle,
} from './nodes.ts'
import { compilePath } from './read.ts'
import type { Scope } from './scope.ts'
import type { Site } from './site.ts'
import { type Called, chain, Link, type Stage, stageOf } from './stages.ts'
import { didYouMean } from './suggest.ts'
import { kindOf, unexpected } from './values.ts'

/** The surroundings of an expression. */
interface Surroundings {
  readonly scope: Scope
  readonly issues: Issue[]
  /** Any site of the template. */
  readonly site: Site
  /** Whether `_` is the item of a list here. */
  readonly hasItem: boolean
}

/** A pipe whose function exists and whose number of arguments is right. */
interface Call extends Called {
  readonly arguments: readonly Argument[]
}

/** What a load lacks of a request. */
class NotKnown extends Error {}

/** For one folded function: it reads nothing of the context but items, and counts its steps. */
const foldContext = (): Context => ({
  ...{ request: {}, action: {}, security: {} },
  random: () => {
    throw new NotKnown()
  },
})

/** Characters of the budget of a load that a step of an item costs. */
const itemStepCost = 32

/**
 * Compiles an expression.
 * @throws ExpressionError for an error that is known at load
 */
export function compileExpression(expression: Expression, around: Surroundings): Node {
  const node = compileWhole(expression, around)
  if (!around.hasItem && readsItem(node)) {
    const site = around.site.at(expression.start, expression.end)
    site.fail('"_" is the item of where, map, sort …: there is none here')
  }
  return node
}

function compileWhole(expression: Expression, around: Surroundings): Node {
  const calls = expression.pipes.map((pipe) => readCall(pipe, around))
  const pathSite = around.site.at(expression.start, expression.end)
  const isOptional = isFallback(calls[0])
  let node = compilePath(expression.keys, around.scope, pathSite, around.issues, isOptional)
  const { probe } = around.scope
  const watch = probe && new Watch(probe, expression.keys, pathSite)
  watch?.read(node)
  const stages: Stage[] = []
  const over: Costs[] = []
  let last: Link | undefined
  let isOfItem = false
  for (const [at, call] of calls.entries()) {
    // nearly every function of "" yields "", whatever its arguments are; names in them must exist nevertheless
    const isEmptyText = stages.length === 0 && node.kind === 'constant' && node.value === ''
    const isEmpty = isEmptyText && !call.row.takesEmpty
    const args = call.arguments.map((argument, index) =>
      isEmpty
        ? argumentNode(argument, within(call, index, around))
        : compileArgument(argument, call, index, around),
    )
    // a look-up leaves a missing key to the default behind it
    if (call.row.form === 'look-up' && args.length === 1 && isFallback(calls[at + 1])) {
      args.push(constant(undefined))
    }
    if (node.kind === 'broken' || args.some(isBroken)) return broken
    if (isEmpty) continue
    const folded = stages.length === 0 ? foldCall(node, call, args, around.issues) : undefined
    if (folded) {
      watch?.folded(call.name, args, folded)
      node = folded
      continue
    }
    node = settled(node, pathSite, around.issues)
    if (isBroken(node)) return broken
    isOfItem ||= readsItem(node)
    last = new Link(
      last ?? node,
      call,
      watch?.stage(call.name, args, call.row.form === 'items') ?? args,
    )
    const costs = args.map((arg, index) => costsOf(arg, call, index))
    isOfItem ||= costs.some(readsItem)
    stages.push(stageOf(last, isOfItem))
    over.push(...costs)
  }
  node = settled(node, pathSite, around.issues)
  if (stages.length === 0 || node.kind === 'broken') return watch?.whole(node) ?? node
  const run = (watch ?? unwatched).chain(runOf(node), stages)
  // a function after url:raw makes another value, which is escaped
  const isRaw = calls.at(-1)?.row.isRaw
  const facts = { steps: stages.length, site: pathSite, isRaw, source: last }
  return deferred(run, [node, ...over], facts)
}

/** Without a probe nothing is watched. */
const unwatched = { chain }

/** What an argument costs beside what is piped. */
function costsOf(argument: Node, { row }: Call, index: number): Costs {
  const isOfItem = row.parameters[index]?.ofItem !== undefined
  return isOfItem && readsItem(argument)
    ? costsOfItems(argument, row.madeOf?.includes(1) === true)
    : argument
}

const isFallback = (call: Call | undefined): boolean => call?.row.form === 'fallback'

/** A whole map of the specification with all its members; each use copies it, so each is charged. */
function settled(node: Node, site: Site, issues: Issue[]): Node {
  if (!(node instanceof LazyMap)) return node
  const map = settle(node)
  beginEvaluation()
  charge(node.entries.size * nodeCost, site)
  chargeLoad(issues, site)
  return map
}

/** Looks the function up and counts its arguments. */
function readCall(pipe: Pipe, { site: whole, issues }: Surroundings): Call {
  const site: Site = whole.at(pipe.start, pipe.end)
  const known = functionNames.includes(pipe.name) ? functions[pipe.name] : undefined
  if (!known) {
    site.fail(`there is no function "${pipe.name}"${didYouMean(pipe.name, functionNames, issues)}`)
  }
  const hasPiped = pipe.arguments.some(({ kind }) => kind === 'piped')
  const { length } = pipe.arguments
  if (hasPiped && (length !== 2 || pipe.arguments.every(({ kind }) => kind === 'piped'))) {
    site.fail(`write ${known.usage ?? pipe.name}`)
  }
  const isUnder = pipe.name === 'merge' && pipe.arguments[1]?.kind === 'piped'
  const args = pipe.arguments.filter(({ kind }) => kind !== 'piped')
  const row = (isUnder ? functions['merge under'] : undefined) ?? known
  if (args.length < row.least || args.length > row.parameters.length) {
    const problem = args.length < row.least ? 'an argument is missing' : 'too many arguments'
    site.fail(`${pipe.name}: ${problem}; write ${known.usage ?? pipe.name}`)
  }
  return { name: pipe.name, row, arguments: args, site }
}

/** The surroundings of an argument. */
const within = ({ row }: Call, index: number, around: Surroundings): Surroundings =>
  row.parameters[index]?.ofItem ? { ...around, hasItem: true } : around

/** An argument as a node that yields the converted value. */
function compileArgument(
  argument: Argument,
  call: Call,
  index: number,
  around: Surroundings,
): Node {
  const parameter = call.row.parameters[index]
  if (argument.kind === 'text' && parameter?.written) {
    return constant(parameter.written(argument.text))
  }
  const node = argumentNode(argument, within(call, index, around), parameter)
  if (!parameter || node.kind === 'broken') return node
  if (parameter.ofItem && readsItem(node)) return node
  const { wanted } = parameter
  const site = around.site.at(argument.start, argument.end, node)
  const read = (value: unknown): unknown => {
    const result = parameter.read(value, site)
    if (result !== undefined) return result
    const kind = kindOf(value)
    return site.fail(
      `${call.name}: expected ${wanted} as argument, got ${kind}`,
      `: expected ${wanted}, got ${kind}`,
    )
  }
  if (node.kind === 'constant') return constant(read(node.value))
  const isPartial = node.kind !== 'deferred'
  if (isPartial && read(kindSample(node)) !== undefined && wanted !== 'a list of keys') return node
  if (wanted === 'a value' || isBroken(node)) return node
  const run = runOf(node)
  return deferred((context) => read(run(context)), [node], { source: node })
}

function argumentNode(argument: Argument, around: Surroundings, of?: Parameter): Node {
  switch (argument.kind) {
    case 'text':
      return constant(of?.written ? of.written(argument.text) : argument.text)
    case 'expression':
      return compileExpression(argument.expression, around)
    case 'list':
      return listNode(argument.items.map((item) => argumentNode(item, around, of)))
    default:
      return constant({})
  }
}

/** The result of a function as far as it is known at load; undefined when it waits for the request. */
function foldCall(
  piped: Node,
  call: Call,
  args: readonly Node[],
  issues: Issue[],
): Node | undefined {
  if (piped.kind === 'deferred' || piped.kind === 'broken') return undefined
  beginEvaluation()
  try {
    return fold(piped, call, args, issues)
  } finally {
    chargeLoad(issues, call.site)
  }
}

function fold(
  piped: Node,
  call: Call,
  args: readonly Node[],
  issues: readonly Issue[],
): Node | undefined {
  const { name, row, site } = call
  // Lazy functions are folded below: they choose a node, and a missing key gets a "did you mean".
  const isOfItems = row.form === 'items'
  const isClosed = args.every((arg) => arg.kind === 'constant' || (isOfItems && readsItemOnly(arg)))
  if (piped.kind === 'constant' && isClosed && !row.isRandom && (!row.form || isOfItems)) {
    const context = foldContext()
    try {
      const value = stageOf(new Link(piped, call, args), true)(piped.value, context)
      charge(spent(context) * itemStepCost, site)
      return constant(value)
    } catch (error) {
      if (error instanceof NotKnown) return undefined
      throw error
    }
  }
  const sample = piped.kind === 'constant' ? piped.value : kindSample(piped)
  if (!row.takes(sample)) unexpected(site, name, row.wanted, sample)
  const key = row === functions['merge under'] ? 'merge under' : name
  return Object.hasOwn(folds, key) ? folds[key]?.(piped, args, site, issues) : undefined
}
