/** Which schemas of a document a schema refers to, and which of them refer to each other in a circle. */
import { isMap } from '#component/syntax/values.ts'
import { keywords, partsOf } from './keywords.ts'
import { type NamedSchemas, resolve, type Target } from './references.ts'

/** A reference that a schema holds, at any level. */
export interface Reference {
  readonly target: Target
  /** Whether what it names judges the same value as the schema that holds it. */
  readonly isInPlace: boolean
}

/** What a schema refers to, directly or through others, by pointer; the references of each. */
export type Graph = ReadonlyMap<
  string,
  { readonly target: Target; readonly references: readonly Reference[] }
>

/** What the schemas of a document refer to; the references of each are looked for once. */
export class Reach {
  readonly #named: NamedSchemas
  readonly #known = new Map<string, readonly Reference[]>()

  constructor(named: NamedSchemas) {
    this.#named = named
  }

  /** The references of a schema that name something; those of annotations do not count. */
  referencesOf(schema: unknown): readonly Reference[] {
    const found: Reference[] = []
    this.#collect(schema, true, found)
    return found
  }

  #collect(schema: unknown, isInPlace: boolean, found: Reference[]): void {
    if (!isMap(schema)) return
    const target = typeof schema.$ref === 'string' ? resolve(schema.$ref, this.#named) : ''
    if (typeof target !== 'string') found.push({ target, isInPlace })
    for (const { keyword, schema: part } of partsOf(schema)) {
      const known = keywords.get(keyword)
      if (known?.isAnnotation) continue
      this.#collect(part, isInPlace && known?.isInPlace === true, found)
    }
  }

  /** The references of what a reference names; looked for once. */
  referencesFrom({ at, schema }: Target): readonly Reference[] {
    let references = this.#known.get(at)
    if (references === undefined) {
      references = this.referencesOf(schema)
      this.#known.set(at, references)
    }
    return references
  }

  /** The graph of what a schema refers to. */
  graphOf(schema: unknown): Graph {
    const graph = new Map<string, { target: Target; references: readonly Reference[] }>()
    const waiting = [...this.referencesOf(schema)]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { target } = next
      if (graph.has(target.at)) continue
      const references = this.referencesFrom(target)
      graph.set(target.at, { target, references })
      for (const reference of references) waiting.push(reference)
    }
    return graph
  }
}

/**
 * Groups the schemas of a graph: those that refer to each other in a circle are one group, any other is its own. A group comes after
 * those that it refers to (Tarjan's algorithm, without recursion).
 * @param isEdge the references that count
 */
export function groupsOf(
  graph: Graph,
  isEdge: (reference: Reference) => boolean = () => true,
): string[][] {
  const groups: string[][] = []
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const lower = (at: string, to: number) => low.set(at, Math.min(low.get(at) ?? to, to))

  for (const start of graph.keys()) {
    if (order.has(start)) continue
    const path: { at: string; rest: string[] }[] = []
    const enter = (at: string): void => {
      order.set(at, order.size)
      low.set(at, order.get(at) ?? 0)
      open.push(at)
      isOpen.add(at)
      const references = graph.get(at)?.references ?? []
      path.push({ at, rest: references.filter(isEdge).map(({ target }) => target.at) })
    }
    enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        path.pop()
        const above = path.at(-1)
        if (above) lower(above.at, low.get(top.at) ?? 0)
        if (low.get(top.at) !== order.get(top.at)) continue
        const group = open.splice(open.indexOf(top.at))
        for (const at of group) isOpen.delete(at)
        groups.push(group)
      } else if (!order.has(next)) enter(next)
      else if (isOpen.has(next)) lower(top.at, order.get(next) ?? 0)
    }
  }
  return groups
}
