/** Host patterns as a tree of labels, read from the right: the most specific pattern that fits comes first. */
import {
  type HostPattern,
  type Label,
  labelsKey,
  trimDots,
} from '#component/syntax/host-pattern.ts'
import { forkOf, type TextMap } from './fork-map.ts'

/** The value of a host: finds by path. */
export interface Branch<R, T> {
  readonly isEmpty: boolean
  find(path: string): R | undefined
  /** Changing a fork leaves this one as it is. */
  fork(): T
}

interface Node<T> {
  readonly literals: TextMap<Node<T>>
  wildcard: Node<T> | undefined
  value: T | undefined
  /** Names the tree that may change it; others share it. */
  readonly owner: object
}

/** Changed while it is built, then only read. A fork shares what it does not change. */
export class HostTree<R, T extends Branch<R, T>> {
  /** No tree: a node that named one would keep all that the tree has ever held. */
  readonly #owner = {}
  #root: Node<T>
  #any: T | undefined

  constructor(root?: Node<T>, any?: T) {
    this.#root = this.#own(root)
    this.#any = any
  }

  /** A tree with the same hosts: changing it, or what {@link place} gives of it, leaves this one as it is. */
  fork(): HostTree<R, T> {
    return new HostTree<R, T>(this.#root, this.#any?.fork())
  }

  /** The values of every form of a pattern, made where they are missing; each with a key that tells the forms apart. */
  place(pattern: HostPattern, make: () => T): { key: string; value: T }[] {
    if (pattern.kind === 'any') {
      this.#any ??= make()
      return [{ key: '_', value: this.#any }]
    }
    return pattern.forms.map((labels) => {
      let node = this.#root
      for (const label of labels.toReversed()) {
        const next = this.#own(label === undefined ? node.wildcard : node.literals.get(label))
        if (label === undefined) node.wildcard = next
        else node.literals.set(label, next)
        node = next
      }
      node.value ??= make()
      return { key: labelsKey(labels), value: node.value }
    })
  }

  /** The values of all hosts that a pattern overlaps, each once. */
  overlapping(pattern: HostPattern): ReadonlySet<T> {
    const found = new Set<T>()
    if (this.#any) found.add(this.#any)
    if (pattern.kind === 'any') collectAll(this.#root, found)
    else for (const labels of pattern.forms) collect(this.#root, labels.toReversed(), 0, found)
    return found
  }

  /** Removes the values of a pattern that are empty. */
  prune(pattern: HostPattern): void {
    if (pattern.kind === 'any') {
      if (this.#any?.isEmpty) this.#any = undefined
      return
    }
    for (const labels of pattern.forms) {
      this.#root = this.#pruned(this.#root, labels.toReversed(), 0) ?? this.#own(undefined)
    }
  }

  /** The node itself where this tree may change it, else a copy, or a new one. */
  #own(node: Node<T> | undefined): Node<T> {
    if (node?.owner === this.#owner) return node
    return {
      literals: node ? forkOf(node.literals) : new Map(),
      wildcard: node?.wildcard,
      value: node?.value?.fork(),
      owner: this.#owner,
    }
  }

  /** @returns the node without empty values at the labels from `at` on; undefined where nothing is left of it */
  #pruned(node: Node<T>, labels: readonly Label[], at: number): Node<T> | undefined {
    const own = this.#own(node)
    if (at === labels.length) {
      if (own.value?.isEmpty) own.value = undefined
    } else {
      const label = labels[at]
      const child = label === undefined ? own.wildcard : own.literals.get(label)
      const left = child && this.#pruned(child, labels, at + 1)
      if (label === undefined) own.wildcard = left
      else if (left) own.literals.set(label, left)
      else own.literals.delete(label)
    }
    const isEmpty = own.value === undefined && own.wildcard === undefined && own.literals.size === 0
    return isEmpty ? undefined : own
  }

  /**
   * The result of the most specific host pattern that has the path: literal labels before one-label wildcards before `_`,
   * compared from the last label on (behaviour: Requests).
   * @param host without port, in any case, with or without a leading and a trailing dot
   */
  find(host: string, path: string): R | undefined {
    const bare = trimDots(host).toLowerCase()
    const found = bare === '' ? undefined : search<R, T>(this.#root, bare, bare.length, path)
    return found ?? this.#any?.find(path)
  }
}

/** Collects the values at and below a node. */
function collectAll<T>(node: Node<T>, found: Set<T>): void {
  if (node.value !== undefined) found.add(node.value)
  if (node.wildcard) collectAll(node.wildcard, found)
  for (const literal of node.literals.values()) collectAll(literal, found)
}

/** Collects the values of hosts that these labels overlap, from `at` on; a wildcard is no address. */
function collect<T>(node: Node<T>, labels: readonly Label[], at: number, found: Set<T>): void {
  if (at === labels.length) {
    if (node.value !== undefined) found.add(node.value)
    return
  }
  const label = labels[at]
  const next = (below: Node<T> | undefined) => below && collect(below, labels, at + 1, found)
  if (label !== undefined) next(node.literals.get(label))
  else {
    for (const text of node.literals.keys()) {
      if (!text.startsWith('[')) next(node.literals.get(text))
    }
  }
  if (!label?.startsWith('[')) next(node.wildcard)
}

/** Searches below a node; the labels left of `end` are still to be matched, none when it is negative. */
function search<R, T extends Branch<R, T>>(
  node: Node<T>,
  host: string,
  end: number,
  path: string,
): R | undefined {
  if (end < 0) return node.value?.find(path)
  // an IPv6 literal is one label, whatever dots it holds
  const isAddress = host[0] === '['
  const start = isAddress ? 0 : host.lastIndexOf('.', end - 1) + 1
  if (start === end) return undefined
  const literal = node.literals.get(host.slice(start, end))
  const found = literal && search<R, T>(literal, host, start - 1, path)
  if (found !== undefined) return found
  return node.wildcard && !isAddress
    ? search<R, T>(node.wildcard, host, start - 1, path)
    : undefined
}
