/** The members of the request that a value is made of: a failure on such a value is owed to the request (behaviour §2, stage 2). */
import type { Node } from './nodes.ts'

/** Where a value comes from, when all of it that is not known at load comes from the request. */
export interface Origin {
  /** Paths, such as `request.body.isbn`; at least one. */
  readonly members: readonly string[]
  /** Whether the value is the one member itself, not something made of it. */
  readonly isWhole: boolean
}

/** Finds an origin when a failure asks for it; undefined for a value that is not of the request alone. */
export type FindOrigin = () => Origin | undefined

/** A message names at most this many members. */
const mostNamed = 3

const isOfRequest = (path: string): boolean => path === 'request' || path.startsWith('request.')

/** A value at a path; undefined for data that is not of the request. */
export const originOfPath = (keys: readonly string[]): Origin | undefined =>
  keys[0] === 'request' ? { members: [keys.join('.')], isWhole: true } : undefined

/** The origin of a node's value; undefined when it is known at load, or made of other data as well. */
export function originOf(node: Node | undefined): Origin | undefined {
  if (node === undefined || node.kind === 'constant' || node.kind === 'broken') return undefined
  if (node.kind === 'deferred') {
    if (node.keys) return originOfPath(node.keys)
    if (!node.joined) return node.origin?.()
  }
  const members = [...node.reads]
  return members.length > 0 && members.every(isOfRequest) ? { members, isWhole: false } : undefined
}

/** The origin of a value at keys below another value. */
export function below(origin: Origin | undefined, keys: readonly string[]): Origin | undefined {
  if (!origin?.isWhole) return origin
  return { members: [[...origin.members, ...keys].join('.')], isWhole: true }
}

/** One of the values that another one is made of. */
export interface Part {
  /** Whether the document gives it, so that it comes from no request and hides the origin of no other. */
  readonly isKnown: boolean
  readonly origin: FindOrigin
}

/** A node as a part. */
export const partOf = (node: Node): Part => ({
  isKnown: node.kind === 'constant',
  origin: () => originOf(node),
})

/** The origin of a value made of others. */
export function originOfParts(parts: readonly Part[]): Origin | undefined {
  const members = new Set<string>()
  for (const { isKnown, origin } of parts) {
    const found = isKnown ? undefined : origin()
    if (!isKnown && !found) return undefined
    for (const member of found?.members ?? []) members.add(member)
  }
  return members.size > 0 ? { members: [...members], isWhole: false } : undefined
}

/** The value in words, for clients. */
export function nameOf({ members, isWhole }: Origin): string {
  if (isWhole) return members.join()
  const more = members.length > mostNamed ? ' and others' : ''
  return `a value made of ${members.slice(0, mostNamed).join(', ')}${more}`
}
