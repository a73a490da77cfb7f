/** Host patterns as a tree of labels, read from the right: the most specific pattern that fits comes first. */
import { type HostPattern, labelsKey, trimDots } from '#component/syntax/host-pattern.ts'

/** The value of a host: finds by path. */
export interface Finder<R> {
  find(path: string): R | undefined
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  wildcard: Node<T> | undefined
  value: T | undefined
}

const makeNode = <T>(): Node<T> => ({ literals: new Map(), wildcard: undefined, value: undefined })

/** Built once, then only read. */
export class HostTree<R, T extends Finder<R>> {
  readonly #root: Node<T> = makeNode()
  #any: T | undefined

  /** The values of every form of a pattern, made where they are missing; each with a key that tells the forms apart. */
  place(pattern: HostPattern, make: () => T): { key: string; value: T }[] {
    if (pattern.kind === 'any') {
      this.#any ??= make()
      return [{ key: '_', value: this.#any }]
    }
    return pattern.forms.map((labels) => {
      let node = this.#root
      for (const label of labels.toReversed()) {
        const next =
          (label === undefined ? node.wildcard : node.literals.get(label)) ?? makeNode<T>()
        if (label === undefined) node.wildcard = next
        else node.literals.set(label, next)
        node = next
      }
      node.value ??= make()
      return { key: labelsKey(labels), value: node.value }
    })
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

/** Searches below a node; the labels left of `end` are still to be matched, none when it is negative. */
function search<R, T extends Finder<R>>(
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
