/** One function of an expression as a closure, and whose fault its failures are. */
import { booleanOf } from '#component/expression/functions/conversions.ts'
import type { LazyForm, PipeFunction } from '#component/expression/functions/function.ts'
import { type Context, type Node, type Run, runOf } from './nodes.ts'
import {
  below,
  type FindOrigin,
  type Origin,
  originOf,
  originOfParts,
  type Part,
  partOf,
} from './origin.ts'
import type { Site } from './site.ts'
import { unexpected } from './values.ts'

/** One function with its arguments, applied to the piped value. */
export type Stage = (value: unknown, context: Context) => unknown

/** A function where it is called. */
export interface Called {
  readonly name: string
  readonly row: PipeFunction
  readonly site: Site
}

const isKnown = (node: Node | undefined): boolean => node === undefined || node.kind === 'constant'

/** The result of a function as a part of other values. */
export function resultOf({ row }: Called, args: readonly Node[], piped: Part): Part {
  const [first, second] = args
  // a default that the document gives stands for what the request lacks
  if (row.form === 'fallback' && isKnown(first)) return piped
  if (row.form === 'look-up' && first?.kind === 'constant' && isKnown(second)) {
    const { isKnown, origin } = piped
    return { isKnown, origin: () => below(origin(), [String(first.value)]) }
  }
  const all = [piped, ...args.map(partOf)]
  const parts = row.madeOf ? row.madeOf.flatMap((index) => all[index] ?? []) : all
  return { isKnown: parts.every((part) => part.isKnown), origin: () => originOfParts(parts) }
}

/** Whose fault the failures of a function are. */
interface Places {
  /** The origin of the piped value. */
  readonly piped: FindOrigin
  /** The site for failures of the piped value and the arguments together. */
  readonly either: Site
}

/** Applies a function to values; refuses a value that it does not accept. */
function applyFunction(
  name: string,
  row: PipeFunction,
  value: unknown,
  { piped, either }: Places,
  first: unknown,
  second: unknown,
  context: Context,
): unknown {
  if (!row.takes(value)) unexpected(either.owedTo(piped), name, row.wanted, value)
  const result = row.apply(value as never, either, first as never, second as never, context)
  return result === undefined ? unexpected(either.owedTo(piped), name, row.wanted, value) : result
}

/**
 * The closure of one function. Nearly every function of `""` yields `""`.
 * @param origin of the piped value
 */
export function stageOf(call: Called, args: readonly Node[], origin: FindOrigin): Stage {
  const { name, row, site } = call
  const [first, second] = args
  if (row.form) return lazyStages[row.form](call, args, origin)
  const places: Places = {
    piped: origin,
    either: site.owedTo(() => origin() ?? originOf(first) ?? originOf(second)),
  }
  const one = first && runOf(first)
  const two = second && runOf(second)
  if (row.takesEmpty) {
    return (value, context) =>
      applyFunction(name, row, value, places, one?.(context), two?.(context), context)
  }
  if (!one) {
    return (value, context) =>
      value === '' ? '' : applyFunction(name, row, value, places, undefined, undefined, context)
  }
  if (!two) {
    return (value, context) =>
      value === '' ? '' : applyFunction(name, row, value, places, one(context), undefined, context)
  }
  return (value, context) =>
    value === '' ? '' : applyFunction(name, row, value, places, one(context), two(context), context)
}

type MakeStage = (call: Called, args: readonly Node[], origin: FindOrigin) => Stage

const lazyStages: Readonly<Record<LazyForm, MakeStage>> = {
  'look-up': lookUp,
  fallback: (_call, [replacement]) => {
    const run = runOf(replacement as Node)
    return (value, context) => value ?? run(context)
  },
  choice: ({ name, row, site }, [yes, no], origin) => {
    const place = site.owedTo(origin)
    const [ifTrue, ifFalse] = [runOf(yes as Node), runOf(no as Node)]
    return (value, context) => {
      if (value === '') return ''
      const choice = row.takes(value) ? booleanOf(value) : undefined
      if (choice === undefined) unexpected(place, name, row.wanted, value)
      return choice ? ifTrue(context) : ifFalse(context)
    }
  },
}

/** The closure of a look-up, with the default for a missing key. */
function lookUp(call: Called, [key, fallback]: readonly Node[], origin: FindOrigin): Stage {
  const { name, row } = call
  const site = call.site.owedTo(origin)
  const keyRun = runOf(key as Node)
  const otherwise: Run = fallback ? runOf(fallback) : () => noKey(call, key as Node, origin())
  return (value, context) => {
    if (value === '') return ''
    if (!row.takes(value)) unexpected(site, name, row.wanted, value)
    const key = keyRun(context)
    const found = row.apply(value as never, site, key as never, undefined as never, context)
    return found === undefined ? otherwise(context) : found
  }
}

/** Fails for a key that a map lacks. A key from the request is data and never named. */
function noKey({ name, site }: Called, key: Node, origin: Origin | undefined): never {
  const noSuchKey = ': there is no such key'
  if (key.kind !== 'constant') {
    return site.owedTo(() => originOf(key) ?? origin).fail(name + noSuchKey, noSuchKey)
  }
  const place = site.owedTo(() => below(origin, [String(key.value)]))
  return place.fail(
    `${name}: there is no "${key.value}"`,
    origin?.isWhole ? ' is missing' : noSuchKey,
  )
}

/** One closure for a chain of functions. */
export function chain(head: Run, stages: readonly Stage[]): Run {
  const [only] = stages
  if (only && stages.length === 1) return (context) => only(head(context), context)
  return (context) => {
    let value = head(context)
    for (const stage of stages) value = stage(value, context)
    return value
  }
}
