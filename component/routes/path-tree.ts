/** The forms of path patterns as a tree of segments: static before binding before rest, with backtracking. */
import type { Segment } from '#component/syntax/path-pattern.ts'
import { decodeEscapes } from '#component/syntax/request-target.ts'

interface Leaf<T> {
  readonly value: T
  /** Names of the bindings on the way, in order. */
  readonly names: readonly string[]
  /** The number of segments before `[...]`; undefined where the form has none. */
  readonly before?: number
}

/** One place of the tree; only read. */
export interface PathNode<T> {
  literals: Map<string, PathNode<T>>
  binding: PathNode<T> | undefined
  leaf: Leaf<T> | undefined
  rest: Leaf<T> | undefined
}

/** Shared by the many nodes without literals. */
const noLiterals = new Map<string, never>()

/** Shared by the many leaves without bindings. */
const noNames: readonly string[] = []

const makeNode = <T>(): PathNode<T> => ({
  literals: noLiterals,
  binding: undefined,
  leaf: undefined,
  rest: undefined,
})

/** The match of a path. */
export interface Found<T> {
  readonly value: T
  /** Decoded; no prototype. `rest` is what `[...]` matches, `""` for none. */
  readonly bindings: Record<string, string>
}

/** Built once, then only read. */
export class PathTree<T> {
  readonly root: PathNode<T> = makeNode()

  /** Adds one form, unless an equal one is there. */
  add(form: readonly Segment[], value: T): void {
    let node = this.root
    const names: string[] = []
    for (const segment of form) {
      if (segment.kind === 'rest') {
        node.rest ??= { value, names, before: form.length - 1 }
        return
      }
      if (segment.kind === 'binding') {
        names.push(segment.name)
        node.binding ??= makeNode()
        node = node.binding
      } else {
        const next: PathNode<T> = node.literals.get(segment.text) ?? makeNode()
        if (node.literals === noLiterals) node.literals = new Map([[segment.text, next]])
        else node.literals.set(segment.text, next)
        node = next
      }
    }
    // the copy has no spare capacity: there are thousands
    node.leaf ??= { value, names: names.length > 0 ? names.slice() : noNames }
  }

  /**
   * Matches a path as received. One trailing slash is equivalent; an empty segment matches nothing.
   * Segments are compared percent-decoded (RFC 3986 §6.2.2.2); one that cannot be decoded matches neither a literal nor a
   * binding (a listener refuses it earlier).
   */
  find(path: string): Found<T> | undefined {
    if (path[0] !== '/' || path.includes('//')) return undefined
    const end = path.endsWith('/') ? path.length - 1 : path.length
    const values: string[] = []
    const leaf = search(this.root, path, 1, end, values, 0)
    if (!leaf) return undefined
    const bindings: Record<string, string> = Object.create(null)
    for (let i = 0; i < leaf.names.length; i += 1) {
      const name = leaf.names[i]
      const value = values[i]
      if (name !== undefined && name !== '_' && value !== undefined) bindings[name] = value
    }
    if (leaf.before !== undefined) bindings.rest = restOf(path.slice(0, end), leaf.before)
    return { value: leaf.value, bindings }
  }
}

/** The text behind the first segments, decoded; as received where it cannot be (a listener refuses it earlier). */
function restOf(path: string, segments: number): string {
  let slash = 0
  for (let count = 0; count < segments && slash >= 0; count += 1)
    slash = path.indexOf('/', slash + 1)
  const rest = slash < 0 ? '' : path.slice(slash + 1)
  return decodeEscapes(rest) ?? rest
}

/**
 * Searches below a node; it visits every node at most once.
 * @param at offset of the next segment; beyond `end` after the last one
 * @param values the bindings so far; those beyond `depth` belong to a branch that failed
 */
function search<T>(
  node: PathNode<T>,
  path: string,
  at: number,
  end: number,
  values: string[],
  depth: number,
): Leaf<T> | undefined {
  if (at > end) return node.leaf ?? node.rest
  const slash = path.indexOf('/', at)
  const stop = slash < 0 || slash > end ? end : slash
  if (node.literals.size > 0 || node.binding) {
    const segment = decodeEscapes(path.slice(at, stop))
    const literal = segment === undefined ? undefined : node.literals.get(segment)
    const found = literal && search(literal, path, stop + 1, end, values, depth)
    if (found) return found
    if (node.binding && segment !== undefined) {
      values[depth] = segment
      const bound = search(node.binding, path, stop + 1, end, values, depth + 1)
      if (bound) return bound
    }
  }
  return node.rest
}
