/** Compiles one expression: its path and its functions, evaluated as far as they are known at load. */
import type { Issue } from '#component/errors.ts'
import type { Argument, Expression, Pipe } from './ast.ts'
import { beginEvaluation, charge, chargeLoad, nodeCost } from './budget.ts'
import { folds, kindSample } from './fold.ts'
import {
  applyFunction,
  functionNames,
  functions,
  type PipeFunction,
  type Places,
} from './functions.ts'
import {
  broken,
  type Context,
  constant,
  deferred,
  isBroken,
  LazyMap,
  listNode,
  type Node,
  type Run,
  runOf,
  settle,
} from './nodes.ts'
import { below, type Origin, originOf, originOfParts, type Part, partOf } from './origin.ts'
import { compilePath } from './read.ts'
import type { Scope } from './scope.ts'
import type { Site } from './site.ts'
import { didYouMean } from './suggest.ts'
import { kindOf, unexpected } from './values.ts'

/** One function with its arguments, applied to the piped value. */
type Stage = (value: unknown, context: Context) => unknown

/** The surroundings of an expression. */
interface Surroundings {
  readonly scope: Scope
  readonly issues: Issue[]
  /** Any site of the template. */
  readonly site: Site
}

/** A pipe whose function exists and whose number of arguments is right. */
interface Call {
  readonly name: string
  readonly row: PipeFunction
  readonly arguments: readonly Argument[]
  readonly site: Site
}

/** Folded functions do not read the context. */
const noContext: Context = { request: {}, action: {}, security: {}, random: () => 0 }

/**
 * Compiles an expression.
 * @throws ExpressionError for an error that is known at load
 */
export function compileExpression(expression: Expression, around: Surroundings): Node {
  const calls = expression.pipes.map((pipe) => readCall(pipe, around))
  const pathSite = around.site.at(expression.start, expression.end)
  let node = compilePath(expression.keys, around.scope, pathSite, around.issues)
  const stages: Stage[] = []
  const over: Node[] = []
  /** Of the value that the next function is applied to. */
  let piped = partOf(node)
  for (const call of calls) {
    // every function of "" yields "", whatever its arguments are; names in them must exist nevertheless
    const isEmpty = stages.length === 0 && node.kind === 'constant' && node.value === ''
    const args = call.arguments.map((argument, index) =>
      isEmpty ? argumentNode(argument, around) : compileArgument(argument, call, index, around),
    )
    if (node.kind === 'broken' || args.some(isBroken)) return broken
    if (isEmpty) continue
    const folded = stages.length === 0 ? foldCall(node, call, args, around.issues) : undefined
    if (folded) {
      node = folded
      continue
    }
    node = settled(node, pathSite, around.issues)
    if (isBroken(node)) return broken
    if (stages.length === 0) piped = partOf(node)
    stages.push(stageOf(call, args, piped.origin))
    piped = resultOf(call, args, piped)
    over.push(...args)
  }
  node = settled(node, pathSite, around.issues)
  if (stages.length === 0 || node.kind === 'broken') return node
  const run = chain(runOf(node), stages)
  // a function after url:raw makes another value, which is escaped
  const isRaw = calls.at(-1)?.row.isRaw
  const { origin } = piped
  return deferred(run, [node, ...over], { steps: stages.length, site: pathSite, isRaw, origin })
}

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
  const isUnder = hasPiped && pipe.arguments[1]?.kind === 'piped'
  const args = pipe.arguments.filter(({ kind }) => kind !== 'piped')
  const row = (isUnder ? functions['merge under'] : undefined) ?? known
  if (args.length < row.least || args.length > row.parameters.length) {
    const problem = args.length < row.least ? 'an argument is missing' : 'too many arguments'
    site.fail(`${pipe.name}: ${problem}; write ${known.usage ?? pipe.name}`)
  }
  return { name: pipe.name, row, arguments: args, site }
}

/** An argument as a node that yields the converted value. */
function compileArgument(
  argument: Argument,
  call: Call,
  index: number,
  around: Surroundings,
): Node {
  const node = argumentNode(argument, around)
  const parameter = call.row.parameters[index]
  if (!parameter || node.kind === 'broken') return node
  const { wanted } = parameter
  const site = around.site.at(argument.start, argument.end).owedTo(originOf(node))
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
  return deferred((context) => read(run(context)), [node], { origin: originOf(node) })
}

function argumentNode(argument: Argument, around: Surroundings): Node {
  switch (argument.kind) {
    case 'text':
      return constant(argument.text)
    case 'expression':
      return compileExpression(argument.expression, around)
    case 'list':
      return listNode(argument.items.map((item) => argumentNode(item, around)))
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
  // A look-up is folded below, where a missing key gets a "did you mean".
  const isClosed = args.every(({ kind }) => kind === 'constant')
  if (piped.kind === 'constant' && isClosed && !row.isRandom && !row.hasDefault) {
    return constant(stageOf(call, args)(piped.value, noContext))
  }
  const sample = piped.kind === 'constant' ? piped.value : kindSample(piped)
  if (!row.takes(sample)) unexpected(site, name, row.wanted, sample)
  const key = row === functions['merge under'] ? 'merge under' : name
  return Object.hasOwn(folds, key) ? folds[key]?.(piped, args, site, issues) : undefined
}

/** The result of a function as a part of others. */
function resultOf({ row }: Call, args: readonly Node[], piped: Part): Part {
  const [key, fallback] = args
  if (row.hasDefault && key?.kind === 'constant' && (fallback?.kind ?? 'constant') === 'constant') {
    return { isKnown: piped.isKnown, origin: below(piped.origin, [String(key.value)]) }
  }
  const all = [piped, ...args.map(partOf)]
  const parts = row.madeOf ? row.madeOf.flatMap((index) => all[index] ?? []) : all
  return { isKnown: parts.every(({ isKnown }) => isKnown), origin: originOfParts(parts) }
}

/**
 * The closure of one function. Every function of `""` yields `""`.
 * @param origin of the piped value
 */
function stageOf(call: Call, args: readonly Node[], origin?: Origin): Stage {
  const { name, row } = call
  const [first, second] = args
  const places: Places = {
    piped: call.site.owedTo(origin),
    either: call.site.owedTo(origin ?? originOf(first) ?? originOf(second)),
  }
  if (!first) {
    return (value, context) =>
      value === '' ? '' : applyFunction(name, row, value, places, undefined, undefined, context)
  }
  const one = runOf(first)
  if (row.hasDefault) return lookUp(call, first, second, origin)
  if (!second) {
    return (value, context) =>
      value === '' ? '' : applyFunction(name, row, value, places, one(context), undefined, context)
  }
  const two = runOf(second)
  return (value, context) =>
    value === '' ? '' : applyFunction(name, row, value, places, one(context), two(context), context)
}

/** The closure of a look-up, with the default for a missing key. */
function lookUp(call: Call, key: Node, fallback: Node | undefined, origin?: Origin): Stage {
  const { name, row } = call
  const site = call.site.owedTo(origin)
  const keyRun = runOf(key)
  const otherwise = fallback ? runOf(fallback) : () => noKey(call, key, origin)
  return (value, context) => {
    if (value === '') return ''
    if (!row.takes(value)) unexpected(site, name, row.wanted, value)
    const key = keyRun(context)
    const found = row.apply(value as never, site, key as never, undefined as never, context)
    return found === undefined ? otherwise(context) : found
  }
}

/** Fails for a key that a map lacks. A key from the request is data and never named. */
function noKey({ name, site }: Call, key: Node, origin: Origin | undefined): never {
  const noSuchKey = ': there is no such key'
  if (key.kind !== 'constant') {
    return site.owedTo(originOf(key) ?? origin).fail(name + noSuchKey, noSuchKey)
  }
  const place = site.owedTo(below(origin, [String(key.value)]))
  return place.fail(
    `${name}: there is no "${key.value}"`,
    origin?.isWhole ? ' is missing' : noSuchKey,
  )
}

/** One closure for a chain of functions. */
function chain(head: Run, stages: readonly Stage[]): Run {
  const [only] = stages
  if (only && stages.length === 1) return (context) => only(head(context), context)
  return (context) => {
    let value = head(context)
    for (const stage of stages) value = stage(value, context)
    return value
  }
}
