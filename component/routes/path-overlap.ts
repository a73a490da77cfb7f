/** Finds forms of path trees that could match one request, walking two trees together. */
import type { Steps } from '#component/yielding.ts'
import type { PathNode, PathTree } from './path-tree.ts'

/** The overlap of a tree with others. */
export interface Overlap<T, U> {
  /** Values of the tree, each with one of the others that could match the same request. */
  readonly found: ReadonlyMap<T, U>
  /** False when the search ended at its limit: then there may be more. */
  readonly isComplete: boolean
}

/** At most this many steps of a search, so that a document cannot make it quadratic: ten times those of two trees of 10,000 usual paths. */
const maxSteps = 2 ** 20

/** Pairs of nodes that are compared without a pause. */
const pairsAtOnce = 64

/**
 * Finds the forms that a request could match both in a tree and in one of others. Behaviour, Requests: a binding is any one
 * segment, a rest any number of them; of text and bindings only the first text and the last are compared.
 * @param most at most this many values of the tree are found
 */
export function* overlapOf<T, U>(
  one: PathTree<T>,
  others: Iterable<PathTree<U>>,
  most: number,
): Steps<Overlap<T, U>> {
  const search = new Search<T, U>(most)
  for (const other of others) yield* search.run(one.root, other.root)
  return { found: search.found, isComplete: search.steps <= maxSteps }
}

type Pair<T, U> = readonly [PathNode<T>, PathNode<U>]

class Search<T, U> {
  readonly found = new Map<T, U>()
  readonly #most: number
  steps = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a step; false when the search is over. */
  #goesOn(): boolean {
    if (this.steps > maxSteps || this.found.size >= this.#most) return false
    this.steps++
    return true
  }

  /** Compares the subtrees of two nodes that the same segments lead to. */
  *run(one: PathNode<T>, other: PathNode<U>): Steps<void> {
    const pairs: Pair<T, U>[] = [[one, other]]
    for (let pair = pairs.pop(); pair && this.#goesOn(); pair = pairs.pop()) {
      if (this.steps % pairsAtOnce === 0) yield
      const below = this.#meet(pair)
      // reversed, so that the first pair comes next
      for (let next = below.pop(); next; next = below.pop()) pairs.push(next)
    }
  }

  /** @returns the pairs of nodes below these */
  #meet([one, other]: Pair<T, U>): Pair<T, U>[] {
    const below: Pair<T, U>[] = []
    if (other.rest) {
      this.#addAll(one, other.rest.value)
      return below
    }
    const any = one.rest && anyOf(other)
    if (one.rest && any) this.#add(one.rest.value, any.value)
    if (one.leaf && other.leaf) this.#add(one.leaf.value, other.leaf.value)
    this.#meetLiterals(one, other, below)
    this.#meetParts(one, other, below)
    if (one.binding && other.binding) below.push([one.binding, other.binding])
    if (one.binding) {
      for (const literal of other.literals.values()) below.push([one.binding, literal])
    }
    if (other.binding) {
      for (const literal of one.literals.values()) below.push([literal, other.binding])
    }
    return below
  }

  #meetLiterals(
    { literals: ones }: PathNode<T>,
    { literals: others }: PathNode<U>,
    below: Pair<T, U>[],
  ): void {
    const fewer = ones.size < others.size ? ones : others
    for (const text of fewer.keys()) {
      if (!this.#goesOn()) return
      const [one, other] = [ones.get(text), others.get(text)]
      if (one && other) below.push([one, other])
    }
  }

  #meetParts(one: PathNode<T>, other: PathNode<U>, below: Pair<T, U>[]): void {
    if (one.parts && other.parts) {
      for (const pair of one.parts.meeting(other.parts)) {
        if (!this.#goesOn()) return
        below.push(pair)
      }
    }
    this.#meetBelow(one, other, (mine, theirs) => below.push([mine, theirs]))
    this.#meetBelow(other, one, (theirs, mine) => below.push([mine, theirs]))
  }

  /** Compares the segments of text and bindings of a node with the literals and the binding of another. */
  #meetBelow<V, W>(
    { parts }: PathNode<V>,
    { binding, literals }: PathNode<W>,
    meet: (one: PathNode<V>, other: PathNode<W>) => void,
  ): void {
    if (parts === undefined) return
    if (binding) for (const { node } of parts.values()) meet(node, binding)
    for (const text of literals.keys()) {
      if (!this.#goesOn()) return
      const literal = literals.get(text)
      if (literal === undefined) continue
      parts.findMatch(text, (node) => {
        meet(node, literal)
      })
    }
  }

  #add(value: T, other: U): void {
    if (this.found.size < this.#most && !this.found.has(value)) this.found.set(value, other)
  }

  #addAll(node: PathNode<T>, other: U): void {
    if (!this.#goesOn()) return
    if (node.leaf) this.#add(node.leaf.value, other)
    if (node.rest) this.#add(node.rest.value, other)
    if (node.binding) this.#addAll(node.binding, other)
    for (const { node: below } of node.parts?.values() ?? []) this.#addAll(below, other)
    for (const literal of node.literals.values()) this.#addAll(literal, other)
  }
}

/** Some form at or below a node; undefined in an empty tree. */
function anyOf<U>(node: PathNode<U>): PathNode<U>['leaf'] {
  let at: PathNode<U> | undefined = node
  while (at && !at.leaf && !at.rest)
    at = at.binding ?? at.parts?.values().next().value?.node ?? at.literals.values().next().value
  return at?.leaf ?? at?.rest
}
