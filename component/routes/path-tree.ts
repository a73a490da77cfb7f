/** The forms of path patterns as a tree of segments: static before text with bindings before binding before rest, with backtracking. */
import type { Segment } from '#component/syntax/path-pattern.ts'
import { decodeEscapes } from '#component/syntax/request-target.ts'
import { forkOf, type TextMap } from './fork-map.ts'
import { PartChildren } from './part-children.ts'

interface Leaf<T> {
  readonly value: T
  /** Names of the bindings on the way, in order. */
  readonly names: readonly string[]
  /** The number of segments before `[...]`; undefined where the form has none. */
  readonly before?: number
}

/** One place of the tree; only read. */
export interface PathNode<T> {
  literals: TextMap<PathNode<T>>
  /** Undefined without segments of text and bindings. */
  parts: PartChildren<PathNode<T>> | undefined
  binding: PathNode<T> | undefined
  leaf: Leaf<T> | undefined
  rest: Leaf<T> | undefined
  /** Names the tree that may change it; others share it. */
  readonly owner: object
}

/** Shared by the many nodes without literals. */
const noLiterals = new Map<string, never>()

/** Shared by the many leaves without bindings. */
const noNames: readonly string[] = []

const makeNode = <T>(owner: object): PathNode<T> => ({
  literals: noLiterals,
  parts: undefined,
  binding: undefined,
  leaf: undefined,
  rest: undefined,
  owner,
})

const isEmpty = ({ literals, parts, binding, leaf, rest }: PathNode<unknown>): boolean =>
  literals.size === 0 && !parts && binding === undefined && leaf === undefined && rest === undefined

/** The match of a path. */
export interface Found<T> {
  readonly value: T
  /** Decoded; no prototype. `rest` is what `[...]` matches, `""` for none. */
  readonly bindings: Record<string, string>
}

/** Changed while it is built, then only read. A fork shares what it does not change. */
export class PathTree<T> {
  /** No tree: a node that named one would keep all that the tree has ever held. */
  readonly #owner = {}
  #root: PathNode<T>

  constructor(root?: PathNode<T>) {
    this.#root = root ?? makeNode(this.#owner)
  }

  get root(): PathNode<T> {
    return this.#root
  }

  get isEmpty(): boolean {
    return isEmpty(this.#root)
  }

  /** A tree with the same forms: changing it leaves this one as it is. */
  fork(): PathTree<T> {
    return new PathTree(this.#root)
  }

  /** Adds one form, unless an equal one is there. */
  add(form: readonly Segment[], value: T): void {
    let node = this.#own(this.#root)
    this.#root = node
    const names: string[] = []
    for (const segment of form) {
      if (segment.kind === 'rest') {
        node.rest ??= { value, names, before: form.length - 1 }
        return
      }
      if (segment.kind === 'binding') {
        names.push(segment.name)
        node.binding = this.#own(node.binding)
        node = node.binding
      } else if (segment.kind === 'parts') {
        names.push(...segment.names)
        const next = this.#own(node.parts?.get(segment))
        node.parts ??= new PartChildren()
        node.parts.set(segment, next)
        node = next
      } else {
        const next = this.#own(node.literals.get(segment.text))
        if (node.literals === noLiterals) node.literals = new Map([[segment.text, next]])
        else node.literals.set(segment.text, next)
        node = next
      }
    }
    // the copy has no spare capacity: there are thousands
    node.leaf ??= { value, names: names.length > 0 ? names.slice() : noNames }
  }

  /** Removes one form, if it has this value. */
  remove(form: readonly Segment[], value: T): void {
    this.#root = this.#without(this.#root, form, 0, value) ?? makeNode(this.#owner)
  }

  /** The value of a form; undefined where there is no equal one. */
  valueOf(form: readonly Segment[]): T | undefined {
    let node: PathNode<T> | undefined = this.#root
    for (const segment of form) {
      if (segment.kind === 'rest') return node.rest?.value
      node = childOf(node, segment)
      if (node === undefined) return undefined
    }
    return node.leaf?.value
  }

  /** The node itself where this tree may change it, else a copy, or a new one. */
  #own(node: PathNode<T> | undefined): PathNode<T> {
    if (node === undefined) return makeNode(this.#owner)
    if (node.owner === this.#owner) return node
    const literals = node.literals.size > 0 ? forkOf(node.literals) : noLiterals
    return { ...node, literals, parts: node.parts?.fork(), owner: this.#owner }
  }

  /** @returns the node without the form; undefined where nothing is left of it */
  #without(
    node: PathNode<T>,
    form: readonly Segment[],
    at: number,
    value: T,
  ): PathNode<T> | undefined {
    const own = this.#own(node)
    const segment = form[at]
    if (segment === undefined) {
      if (own.leaf?.value === value) own.leaf = undefined
    } else if (segment.kind === 'rest') {
      if (own.rest?.value === value) own.rest = undefined
    } else if (segment.kind === 'binding') {
      own.binding = own.binding && this.#without(own.binding, form, at + 1, value)
    } else if (segment.kind === 'parts') {
      const child = own.parts?.get(segment)
      const left = child && this.#without(child, form, at + 1, value)
      if (left) own.parts?.set(segment, left)
      else own.parts?.delete(segment)
      if (own.parts?.isEmpty) own.parts = undefined
    } else {
      const child = own.literals.get(segment.text)
      const left = child && this.#without(child, form, at + 1, value)
      if (left) own.literals.set(segment.text, left)
      else if (child) own.literals.delete(segment.text)
    }
    return isEmpty(own) ? undefined : own
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
    const leaf = search(this.#root, path, 1, end, values, 0)
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

function childOf<T>(
  node: PathNode<T>,
  segment: Exclude<Segment, { kind: 'rest' }>,
): PathNode<T> | undefined {
  if (segment.kind === 'literal') return node.literals.get(segment.text)
  return segment.kind === 'parts' ? node.parts?.get(segment) : node.binding
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
  if (node.literals.size > 0 || node.binding || node.parts) {
    const segment = decodeEscapes(path.slice(at, stop))
    const literal = segment === undefined ? undefined : node.literals.get(segment)
    const found = literal && search(literal, path, stop + 1, end, values, depth)
    if (found) return found
    if (node.parts && segment !== undefined) {
      const inParts = node.parts.findMatch(segment, (below, bound) => {
        for (const [index, value] of bound.entries()) values[depth + index] = value
        return search(below, path, stop + 1, end, values, depth + bound.length)
      })
      if (inParts) return inParts
    }
    if (node.binding && segment !== undefined) {
      values[depth] = segment
      const bound = search(node.binding, path, stop + 1, end, values, depth + 1)
      if (bound) return bound
    }
  }
  return node.rest
}
