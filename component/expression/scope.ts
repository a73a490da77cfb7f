/** The names that an expression may read: maps of the specification, which are compiled in turn, and request-time data, which is not. */
import type { Issue } from '#component/errors.ts'
import type { Probe } from '#component/expression/probe/probe.ts'
import type { Template } from './ast.ts'
import { report } from './budget.ts'
import { compile } from './compile.ts'
import { broken, LazyMap, type Node } from './nodes.ts'

/** A value of the specification, and where it is written. */
export interface SpecEntry {
  readonly value: unknown
  /** JSON Pointer. */
  readonly path: string
}

/** The shape of a root of request-time data, known at load. */
export interface RootShape {
  /** The only keys that exist, read as properties (may be getters); absent: any own key. */
  readonly keys?: readonly string[]
}

/** The map whose entries may be templates: values with `_`, the item of a list where they are used. */
const templates = 'variables'

/** At most this many variables in a chain of references. */
const longestChain = 64

/** What is made once in a document, because its texts repeat. */
interface Shared {
  /** By their texts. */
  readonly templates: Map<string, Template>
  /** Lists of one path, by the path. */
  readonly reads: Map<string, readonly string[]>
}

/** An entry that is being compiled. */
interface Pending {
  readonly name: string
  readonly path: string
  /** Length of the longest chain of references from it, found so far. */
  height: number
}

/** `variables`, `defaults` and `status_codes` of one level of the tree, merged, and the shapes of the data roots. */
export class Scope {
  /** Told of the expressions that are compiled in the scope. */
  readonly probe: Probe | undefined
  /** Of all scopes of the document. */
  readonly shared: Shared
  readonly #maps: Readonly<Record<string, ReadonlyMap<string, SpecEntry>>>
  /** The shapes of the data that is read. */
  readonly roots: Readonly<Record<string, RootShape>>
  readonly #compiled = new Map<string, { readonly node: Node; readonly height: number }>()
  readonly #pending: Pending[] = []
  /** Whole maps as nodes, by their names. */
  readonly #whole = new Map<string, LazyMap>()
  /** The position of each entry in the maps; made when the first cycle is found. */
  #ranks: ReadonlyMap<string, number> | undefined

  constructor(
    maps: Readonly<Record<string, ReadonlyMap<string, SpecEntry>>>,
    roots: Readonly<Record<string, RootShape>>,
    probe?: Probe,
    shared: Shared = { templates: new Map(), reads: new Map() },
  ) {
    this.probe = probe
    this.shared = shared
    this.#maps = maps
    this.roots = roots
  }

  /** Every name an expression may begin with. */
  get names(): readonly string[] {
    return [...Object.keys(this.roots), ...Object.keys(this.#maps)]
  }

  /** The map of the specification with this name. */
  map(name: string): ReadonlyMap<string, SpecEntry> | undefined {
    return Object.hasOwn(this.#maps, name) ? this.#maps[name] : undefined
  }

  /** The shape of the data root with this name. */
  root(name: string): RootShape | undefined {
    return Object.hasOwn(this.roots, name) ? this.roots[name] : undefined
  }

  /** A list of one path, cut to three keys. */
  readsOf(path: string): readonly string[] {
    const { reads } = this.shared
    const known = reads.get(path) ?? [path]
    reads.set(path, known)
    return known
  }

  /** An entry as written. */
  entry(map: string, key: string): SpecEntry | undefined {
    return this.map(map)?.get(key)
  }

  /**
   * Compiles an entry, once; its issues are reported then, at its own path.
   * @returns undefined when there is no such entry
   */
  compileEntry(map: string, key: string, issues: Issue[]): Node | undefined {
    const entry = this.entry(map, key)
    if (!entry) return undefined
    const name = `${map}.${key}`
    const known = this.#compiled.get(name)
    if (known) {
      this.#rise(known.height + 1)
      return known.node
    }
    const first = this.#pending.findIndex((pending) => pending.name === name)
    if (first >= 0) {
      this.#refuseCycle(this.#pending.slice(first), issues)
      return broken
    }
    const pending = { name, path: entry.path, height: 1 }
    this.#pending.push(pending)
    let node =
      this.#pending.length > 2 * longestChain
        ? broken
        : compile(entry.value, entry.path, this, issues, () => map === templates)
    this.#pending.pop()
    if (pending.height > longestChain) {
      report(
        issues,
        entry.path,
        `more than ${longestChain} variables refer to each other in a chain`,
      )
      node = broken
      pending.height = 1
    }
    this.#compiled.set(name, { node, height: pending.height })
    this.#rise(pending.height + 1)
    return node
  }

  /** A whole map as a node whose members are compiled when they are asked for. */
  wholeMap(map: string, issues: Issue[]): LazyMap {
    const known = this.#whole.get(map)
    if (known) return known
    const entries = new LazyEntries(this.map(map) ?? new Map(), (key) =>
      this.compileEntry(map, key, issues),
    )
    const node = new LazyMap(entries)
    this.#whole.set(map, node)
    return node
  }

  #rise(height: number): void {
    const user = this.#pending.at(-1)
    if (user) user.height = Math.max(user.height, height)
  }

  /** Reports one issue for each cycle, at the member that the maps list first. */
  #refuseCycle(cycle: readonly Pending[], issues: Issue[]): void {
    this.#ranks ??= new Map(
      Object.entries(this.#maps)
        .flatMap(([map, entries]) => [...entries.keys()].map((key) => `${map}.${key}`))
        .map((name, rank) => [name, rank]),
    )
    const ranks = cycle.map(({ name }) => this.#ranks?.get(name) ?? 0)
    const first = ranks.indexOf(Math.min(...ranks))
    const turned = [...cycle.slice(first), ...cycle.slice(0, first), cycle[first] as Pending]
    const names = turned.map(({ name }) => name).join(' → ')
    report(issues, turned[0]?.path ?? '', `${turned[0]?.name} refers to itself: ${names}`)
  }
}

/** The keys are known; a member is compiled when it is read, all of them when they are listed. */
class LazyEntries extends Map<string, Node> {
  readonly #keys: ReadonlyMap<string, unknown>
  readonly #compile: (key: string) => Node | undefined

  constructor(keys: ReadonlyMap<string, unknown>, compileEntry: (key: string) => Node | undefined) {
    super()
    this.#keys = keys
    this.#compile = compileEntry
  }

  override get size(): number {
    return this.#keys.size
  }

  override has(key: string): boolean {
    return this.#keys.has(key)
  }

  override get(key: string): Node | undefined {
    return this.#compile(key)
  }

  override keys(): MapIterator<string> {
    return this.#all().keys()
  }

  override values(): MapIterator<Node> {
    return this.#all().values()
  }

  override entries(): MapIterator<[string, Node]> {
    return this.#all().entries()
  }

  override [Symbol.iterator](): MapIterator<[string, Node]> {
    return this.entries()
  }

  #all(): Map<string, Node> {
    const all = new Map<string, Node>()
    for (const key of this.#keys.keys()) all.set(key, this.get(key) ?? broken)
    return all
  }
}
