/** The realm to which an address belongs at which nothing is served: for the page that a person gets there. */
import { readEntry } from './entry-patterns.ts'
import { type Branch, HostTree } from './host-tree.ts'
import type { RouteEntry } from './routing-table.ts'

/** In place of a realm where there are several; no realm has this URI. */
const several = ''

const joined = (known: string | undefined, realm_uri: string | undefined): string =>
  known === undefined || known === realm_uri ? (realm_uri ?? several) : several

/** The text between the first two slashes. */
const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1)
  return end < 0 ? path.slice(1) : path.slice(1, end)
}

/** Whether a segment of a pattern is text, as it is written in a request: no binding, and nothing optional. */
const isText = (segment: string): boolean => /^[\w.~-]+$/.test(segment)

/** The realms of the paths of one host. */
class Owners implements Branch<string, Owners> {
  readonly isEmpty = false
  /** Of all paths. */
  #whole: string | undefined
  /** Of those that may begin with any segment. */
  #open: string | undefined
  /** Of those that begin with a text. */
  readonly #segments = new Map<string, string>()

  add({ pattern, realm_uri }: RouteEntry<unknown>): void {
    this.#whole = joined(this.#whole, realm_uri)
    const segment = firstSegment(pattern)
    if (!isText(segment)) this.#open = joined(this.#open, realm_uri)
    else this.#segments.set(segment, joined(this.#segments.get(segment), realm_uri))
  }

  /** Found at the most specific host, so that a less specific one is not asked. */
  find(path: string): string {
    const own = this.#segments.get(firstSegment(path))
    if (own === undefined) return this.#whole ?? several
    return this.#open === undefined ? own : joined(this.#open, own)
  }

  /** Nothing changes it. */
  fork(): Owners {
    return this
  }
}

/**
 * Reads whose paths they are, once.
 * @param apis the entries of each API, all at one host
 * @returns the realm to which all paths of a host belong, or all that begin like the path there; undefined: several, or none
 */
export function realmsOfAddresses(
  apis: Iterable<readonly RouteEntry<unknown>[]>,
): (host: string, path: string) => string | undefined {
  const hosts = new HostTree<string, Owners>()
  for (const entries of apis) {
    const paths = entries.filter(({ procedure, delivery }) => !procedure && !delivery)
    const [first] = paths
    const host = first && readEntry(first).host
    if (!host) continue
    for (const { value } of hosts.place(host, () => new Owners())) {
      for (const entry of paths) value.add(entry)
    }
  }
  return (host, path) => hosts.find(host, path) || undefined
}
