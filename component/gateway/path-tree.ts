/** The forms of path patterns as a tree of segments: static before binding before rest, with backtracking. */
import { decodeSegment, type Segment } from '#component/spec/path-pattern.ts'

interface Leaf<T> {
  readonly value: T
  /** Names of the bindings on the way, in order. */
  readonly names: readonly string[]
}

interface Node<T> {
  /** The tree that may change it; every other one that has it copies it first. */
  readonly owner: object
  readonly literals: Map<string, Node<T>>
  binding: Node<T> | undefined
  /** Those that end here, the first one serves; and those that end here with a rest. */
  leaves: readonly Leaf<T>[]
  rests: readonly Leaf<T>[]
}

const none: readonly never[] = []

const makeNode = <T>(owner: object): Node<T> => ({
  owner,
  literals: new Map(),
  binding: undefined,
  leaves: none,
  rests: none,
})

const isEmptyNode = ({ literals, binding, leaves, rests }: Node<unknown>): boolean =>
  leaves.length === 0 && rests.length === 0 && binding === undefined && literals.size === 0

/** What a path came to. */
export interface Found<T> {
  readonly value: T
  /** Decoded; no prototype. */
  readonly bindings: Readonly<Record<string, string>>
}

/** Most paths bind nothing. */
const noBindings: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/**
 * A tree that is copied at no cost: the copy shares all nodes, and whichever tree is changed afterwards copies the nodes
 * on the way to the change. So a table of many routes is made from another one by what differs.
 */
export class PathTree<T> {
  #root: Node<T> = makeNode(this)

  copy(): PathTree<T> {
    const tree = new PathTree<T>()
    tree.#root = this.#root
    return tree
  }

  get isEmpty(): boolean {
    return isEmptyNode(this.#root)
  }

  /** What an equal form leads to, the one that serves first. */
  at(form: readonly Segment[]): T | undefined {
    let node: Node<T> | undefined = this.#root
    for (const segment of form) {
      if (segment.kind === 'rest') return node.rests[0]?.value
      node = segment.kind === 'binding' ? node.binding : node.literals.get(segment.text)
      if (node === undefined) return undefined
    }
    return node.leaves[0]?.value
  }

  /** Adds one form, behind those that are there. */
  add(form: readonly Segment[], value: T): void {
    const names: string[] = []
    let node = this.#own(this.#root)
    this.#root = node
    for (const segment of form) {
      if (segment.kind === 'rest') {
        node.rests = [...node.rests, { value, names }]
        return
      }
      if (segment.kind === 'binding') {
        names.push(segment.name)
        node.binding = this.#own(node.binding)
        node = node.binding
      } else {
        const next: Node<T> = this.#own(node.literals.get(segment.text))
        node.literals.set(segment.text, next)
        node = next
      }
    }
    node.leaves = [...node.leaves, { value, names }]
  }

  /** Takes away what was added with this form, as far as its value is meant. */
  delete(form: readonly Segment[], isMeant: (value: T) => boolean): void {
    this.#root = this.#without(this.#root, form, 0, isMeant) ?? makeNode(this)
  }

  /** The node as this tree may change it. */
  #own(node: Node<T> | undefined): Node<T> {
    if (node === undefined) return makeNode(this)
    if (node.owner === this) return node
    return { ...node, owner: this, literals: new Map(node.literals) }
  }

  /** The node without the rest of the form; undefined when nothing is left of it. */
  #without(
    found: Node<T>,
    form: readonly Segment[],
    depth: number,
    isMeant: (value: T) => boolean,
  ): Node<T> | undefined {
    const node = this.#own(found)
    const segment = form[depth]
    const isOther = ({ value }: Leaf<T>): boolean => !isMeant(value)
    if (segment === undefined) node.leaves = node.leaves.filter(isOther)
    else if (segment.kind === 'rest') node.rests = node.rests.filter(isOther)
    else if (segment.kind === 'binding') {
      node.binding = node.binding && this.#without(node.binding, form, depth + 1, isMeant)
    } else {
      const next = node.literals.get(segment.text)
      const left = next && this.#without(next, form, depth + 1, isMeant)
      if (left) node.literals.set(segment.text, left)
      else node.literals.delete(segment.text)
    }
    return isEmptyNode(node) ? undefined : node
  }

  /**
   * Matches a path as received. One trailing slash is equivalent; an empty segment matches nothing.
   * Segments are compared percent-decoded (RFC 3986 §6.2.2.2); one that cannot be decoded is no literal and no
   * binding (http/preflight.ts refuses it earlier).
   */
  find(path: string): Found<T> | undefined {
    if (path[0] !== '/' || path.includes('//')) return undefined
    const end = path.endsWith('/') ? path.length - 1 : path.length
    const values: string[] = []
    const leaf = search(this.#root, path, 1, end, values, 0)
    if (!leaf) return undefined
    const { value, names } = leaf
    if (names.length === 0) return { value, bindings: noBindings }
    const bindings: Record<string, string> = Object.create(null)
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i]
      const bound = values[i]
      if (name !== undefined && name !== '_' && bound !== undefined) bindings[name] = bound
    }
    return { value, bindings }
  }
}

/**
 * Tries what is below a node; every node is visited at most once, so a match costs at most the tree.
 * @param at where the next segment begins; beyond `end` when none is left
 * @param values the bindings on the way; those beyond `depth` are left over from a way that failed
 */
function search<T>(
  node: Node<T>,
  path: string,
  at: number,
  end: number,
  values: string[],
  depth: number,
): Leaf<T> | undefined {
  if (at > end) return node.leaves[0] ?? node.rests[0]
  const slash = path.indexOf('/', at)
  const stop = slash < 0 || slash > end ? end : slash
  if (node.literals.size > 0 || node.binding) {
    const segment = decodeSegment(path.slice(at, stop))
    const literal = segment === undefined ? undefined : node.literals.get(segment)
    const found = literal && search(literal, path, stop + 1, end, values, depth)
    if (found) return found
    if (node.binding && segment !== undefined) {
      values[depth] = segment
      const bound = search(node.binding, path, stop + 1, end, values, depth + 1)
      if (bound) return bound
    }
  }
  return node.rests[0]
}
