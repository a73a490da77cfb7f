/** One function of an expression as a closure, and whose fault its failures are. */
import { booleanOf } from '#component/expression/functions/conversions.ts'
import type { LazyForm, Parameter, PipeFunction } from '#component/expression/functions/function.ts'
import { ofItems, once, readsItem, spend } from './items.ts'
import { type Context, type Node, type Run, runOf } from './nodes.ts'
import {
  below,
  enterItems,
  isKnown,
  leaveItems,
  type Origin,
  originOf,
  originOfParts,
  type Source,
} from './origin.ts'
import { Site } from './site.ts'
import { unexpected } from './values.ts'

/** One function with its arguments, applied to the piped value. */
export type Stage = (value: unknown, context: Context) => unknown

/** A function where it is called. */
export interface Called {
  readonly name: string
  readonly row: PipeFunction
  readonly site: Site
}

/** A function in a chain: as a source its result, as a site the failures of the piped value and the arguments together. */
export class Link extends Site implements Source {
  readonly name: string
  readonly row: PipeFunction
  /** Copies of the row's: links have one shape, which makes them quick to call. */
  readonly takes: PipeFunction['takes']
  readonly apply: PipeFunction['apply']
  readonly piped: Node | Source
  readonly first: Node | undefined
  readonly second: Node | undefined

  constructor(piped: Node | Source, { name, row, site }: Called, args: readonly Node[]) {
    super(site.text, site.path, site.start, site.end)
    this.name = name
    this.row = row
    this.takes = row.takes
    this.apply = row.apply
    this.piped = piped
    this.first = args[0]
    this.second = args[1]
  }

  /** For failures of the piped value alone. */
  get pipedSite(): Site {
    return this.of(this.piped)
  }

  get isKnown(): boolean {
    return this.#parts.every(isKnown)
  }

  /** The values that the result is made of. */
  get #parts(): readonly (Node | Source)[] {
    const all = [this.piped, this.first, this.second]
    const { row } = this
    return (row.madeOf ?? everything).flatMap((index) => {
      const part = all[index]
      // a key only chooses a member
      const isKey =
        index > 0 && row.form === 'items' && !(part && 'reads' in part && readsItem(part))
      return part === undefined || isKey ? [] : part
    })
  }

  origin(): Origin | undefined {
    const { row, piped, first, second } = this
    const isFixed = (node: Node | undefined) => node === undefined || isKnown(node)
    // a default that the document gives stands for what the request lacks
    if (row.form === 'fallback' && isFixed(first)) return originOf(piped)
    if (row.form === 'look-up' && first?.kind === 'constant' && isFixed(second)) {
      return below(originOf(piped), [String(first.value)])
    }
    if (row.form !== 'items') return originOfParts(this.#parts)
    const outer = enterItems(piped)
    try {
      return originOfParts(this.#parts)
    } finally {
      leaveItems(outer)
    }
  }

  protected override blamed(): Origin | undefined {
    return originOf(this.piped) ?? originOf(this.first) ?? originOf(this.second)
  }
}

const everything = [0, 1, 2] as const

const refuse = (link: Link, value: unknown): never =>
  unexpected(link.pipedSite, link.name, link.row.wanted, value)

/** Applies a function to values; refuses a value that it does not accept. */
function applyFunction(
  link: Link,
  value: unknown,
  first: unknown,
  second: unknown,
  context: Context,
): unknown {
  if (!link.takes(value)) refuse(link, value)
  const result = link.apply(value as never, link, first as never, second as never, context)
  return result === undefined ? refuse(link, value) : result
}

/**
 * The closure of one function. Nearly every function of `""` yields `""`.
 * @param isOfItem whether what it is given depends on the item of a list around it
 */
export function stageOf(link: Link, isOfItem: boolean): Stage {
  const { row, first, second } = link
  if (row.form) {
    const lazy = lazyStages[row.form](link)
    return row.form === 'items' && !isOfItem ? once(lazy) : lazy
  }
  const one = first && runOf(first)
  const two = second && runOf(second)
  if (row.takesEmpty) {
    return (value, context) => applyFunction(link, value, one?.(context), two?.(context), context)
  }
  if (!one) {
    return (value, context) =>
      value === '' ? '' : applyFunction(link, value, undefined, undefined, context)
  }
  if (!two) {
    return (value, context) =>
      value === '' ? '' : applyFunction(link, value, one(context), undefined, context)
  }
  return (value, context) =>
    value === '' ? '' : applyFunction(link, value, one(context), two(context), context)
}

const lazyStages: Readonly<Record<LazyForm, (link: Link) => Stage>> = {
  'look-up': lookUp,
  items: forItems,
  fallback: ({ first }) => {
    const run = runOf(first as Node)
    return (value, context) => value ?? run(context)
  },
  choice: (link) => {
    const { first, second } = link
    const [ifTrue, ifFalse] = [runOf(first as Node), runOf(second as Node)]
    return (value, context) => {
      if (value === '') return ''
      const choice = link.takes(value) ? booleanOf(value) : undefined
      if (choice === undefined) refuse(link, value)
      return choice ? ifTrue(context) : ifFalse(context)
    }
  },
}

/** What an argument of a function on items is given as: an {@link OfItem}, or its value. */
function argumentOf(node: Node | undefined, parameter: Parameter | undefined): Run | undefined {
  if (node === undefined || parameter?.ofItem === undefined) return node && runOf(node)
  return ofItems(node, parameter.ofItem)
}

/** The closure of a function that evaluates its arguments for each item. */
function forItems(link: Link): Stage {
  const { first, second, row, piped } = link
  const one = argumentOf(first, row.parameters[0])
  const two = argumentOf(second, row.parameters[1])
  const evaluated = [first, second].filter((node) => node && readsItem(node))
  const steps = evaluated.reduce((sum, node) => sum + (node?.steps ?? 0), 0)
  return (value, context) => {
    if (value === '') return ''
    if (!link.takes(value)) refuse(link, value)
    const of = one?.(context) as never
    const other = two?.(context) as never
    const outer = enterItems(piped)
    try {
      if (steps > 0) spend((value as readonly unknown[]).length * steps, link, context)
      const result = link.apply(value as never, link, of, other, context)
      return result === undefined ? refuse(link, value) : result
    } finally {
      leaveItems(outer)
    }
  }
}

/** The closure of a look-up, with the default for a missing key. */
function lookUp(link: Link): Stage {
  const { first: key, second: fallback } = link
  const keyRun = runOf(key as Node)
  const otherwise: Run = fallback ? runOf(fallback) : () => noKey(link, key as Node)
  return (value, context) => {
    if (value === '') return ''
    if (!link.takes(value)) refuse(link, value)
    const key = keyRun(context)
    const found = link.apply(value as never, link, key as never, undefined as never, context)
    return found === undefined ? otherwise(context) : found
  }
}

/** Fails for a key that a map lacks. A key from the request is data and never named. */
function noKey(link: Link, key: Node): never {
  const { name, piped } = link
  const noSuchKey = ': there is no such key'
  if (key.kind !== 'constant') {
    return link.of(originOf(key) ? key : piped).fail(name + noSuchKey, noSuchKey)
  }
  return link
    .of(link)
    .fail(
      `${name}: there is no "${key.value}"`,
      originOf(piped)?.isWhole ? ' is missing' : noSuchKey,
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
