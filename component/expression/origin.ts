/** The members of the request that a value is made of: a failure on such a value is owed to the request (behaviour §2, stage 2). */
import type { Node } from './nodes.ts'

/** Where a value comes from, when all of it that is not known at load comes from the request. */
export interface Origin {
  /** Paths, such as `request.body.isbn`; at least one. */
  readonly members: readonly string[]
  /** Whether the value is the one member itself, not something made of it. */
  readonly isWhole: boolean
}

/** A value whose origin is found when a failure asks for it: so a load keeps nothing but what it has anyway. */
export interface Source {
  /** Whether the document gives it, so that it comes from no request and hides the origin of no other. */
  readonly isKnown: boolean
  /** undefined for a value that is not of the request alone. */
  origin(): Origin | undefined
}

/** A message names at most this many members. */
const mostNamed = 3

/** What a client decides: a request, or the call of a procedure. */
const clientRoots: ReadonlySet<string | undefined> = new Set(['request', 'invocation'])

const isOfRequest = (path: string): boolean => clientRoots.has(path.split('.', 1)[0])

/** A list whose items are being evaluated, and the one that it is reached by. Evaluations are synchronous, so one chain serves them all. */
interface Items {
  readonly list: Node | Source
  readonly outer: Items | undefined
}

let innermost: Items | undefined

/** From now on, `_` is an item of the list. @returns for {@link leaveItems} */
export function enterItems(list: Node | Source): Items | undefined {
  const outer = innermost
  innermost = { list, outer }
  return outer
}

/** `_` is again what it was. @param outer what {@link enterItems} has returned */
export function leaveItems(outer: Items | undefined): void {
  innermost = outer
}

/** What of an item has the origin of its list. @param keys from `_` on */
function originOfItem(keys: readonly string[]): Origin | undefined {
  const items = innermost
  if (items === undefined) return undefined
  innermost = items.outer
  try {
    const list = originOf(items.list)
    if (!list?.isWhole) return list
    return below({ members: [`${list.members.join()}[]`], isWhole: true }, keys.slice(1))
  } finally {
    innermost = items
  }
}

/** A value at a path; undefined for data that is not of the request. */
export function originOfPath(keys: readonly string[]): Origin | undefined {
  if (keys[0] === '_') return originOfItem(keys)
  return clientRoots.has(keys[0]) ? { members: [keys.join('.')], isWhole: true } : undefined
}

/** The origin of a value; undefined when it is known at load, or made of other data as well. */
export function originOf(value: Node | Source | undefined): Origin | undefined {
  if (value === undefined) return undefined
  if ('origin' in value) return value.origin()
  if (value.kind === 'constant' || value.kind === 'broken') return undefined
  if (value.kind === 'deferred') {
    if (value.keys) return originOfPath(value.keys)
    if (!value.joined) return originOf(value.source)
  }
  const origins = value.reads.map((read) =>
    isOfRequest(read) || read.startsWith('_') ? originOfPath(read.split('.')) : undefined,
  )
  const members = origins.flatMap((origin) => origin?.members ?? [])
  return members.length > 0 && !origins.includes(undefined)
    ? { members: [...new Set(members)], isWhole: false }
    : undefined
}

/** The origin of a value at keys below another value. */
export function below(origin: Origin | undefined, keys: readonly string[]): Origin | undefined {
  if (!origin?.isWhole || keys.length === 0) return origin
  return { members: [[...origin.members, ...keys].join('.')], isWhole: true }
}

/** Whether the document gives the value. */
export const isKnown = (value: Node | Source): boolean =>
  'origin' in value ? value.isKnown : value.kind === 'constant'

/** The origin of a value made of others. */
export function originOfParts(parts: readonly (Node | Source)[]): Origin | undefined {
  const members = new Set<string>()
  for (const part of parts) {
    if (isKnown(part)) continue
    const origin = originOf(part)
    if (!origin) return undefined
    for (const member of origin.members) members.add(member)
  }
  return members.size > 0 ? { members: [...members], isWhole: false } : undefined
}

/** The value in words, for clients. */
export function nameOf({ members, isWhole }: Origin): string {
  if (isWhole) return members.join()
  const more = members.length > mostNamed ? ' and others' : ''
  return `a value made of ${members.slice(0, mostNamed).join(', ')}${more}`
}
