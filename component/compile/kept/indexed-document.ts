/** A document that is served by its index: its routes are compiled when they are read, and forgotten when memory is needed. */
import type { Api, CompiledVersion, DescribedVersion, Route } from '#component/gateway/api.ts'
import type { ApiFacts, IndexedApi } from '#component/routes/indexed-api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { ApiIndex, IndexedPath } from './api-index.ts'

/** Compiles documents, and decides which of them stay compiled. */
export interface Compiler {
  /** Compiles at once. @throws ServiceError `service.error.unavailable` where the index is not that of the document */
  compile(document: IndexedDocument): Api
  /** Compiles in steps. Throws the same. */
  compileInSteps(document: IndexedDocument): Promise<Api>
  /** Keeps a document that has been compiled. */
  keep(document: IndexedDocument): void
}

/** One path; its routes are those of the compiled document. */
class IndexedEntry implements RouteEntry<Route> {
  readonly indexed: IndexedDocument
  readonly #at: number
  readonly #path: IndexedPath

  constructor(indexed: IndexedDocument, at: number, path: IndexedPath) {
    this.indexed = indexed
    this.#at = at
    this.#path = path
  }

  get api(): string {
    return this.indexed.id
  }

  get realm_uri(): string {
    return this.indexed.realm_uri
  }

  get host(): string {
    return this.indexed.index.host
  }

  get pattern(): string {
    return this.#path.pattern
  }

  get path(): string {
    return this.#path.path
  }

  get label(): string {
    return this.#path.label
  }

  get keepsSlashes(): boolean {
    return this.#path.keepsSlashes === true
  }

  get isShared(): boolean {
    return this.#path.isShared === true
  }

  get purpose(): string {
    return this.#path.purpose ?? ''
  }

  get procedure(): RouteEntry<Route>['procedure'] {
    return this.#path.procedure
  }

  get routes(): RouteEntry<Route>['routes'] {
    return this.indexed.api.entries[this.#at]?.routes ?? {}
  }
}

/** What was compiled, as long as a request has a slot of it: a document that is asked for again meanwhile has the same slots. */
const owners = new WeakMap<CompiledVersion['pool'], Api>()

/** The registry sees it as any other compiled document. */
export class IndexedDocument implements IndexedApi {
  readonly index: ApiIndex
  readonly entries: readonly RouteEntry<Route>[]
  /** As it was loaded. */
  readonly document: unknown
  /** Whether its routes were read since {@link Compiler} has looked last. */
  wasRead = true
  readonly #compiler: Compiler
  #api: Api | undefined
  /** What was forgotten, while others have it. */
  #former: WeakRef<Api> | undefined
  #compiling: Promise<void> | undefined

  /** @param api the compiled document; undefined: it is compiled when it is asked for */
  constructor(document: unknown, index: ApiIndex, compiler: Compiler, api?: Api) {
    this.document = document
    this.index = index
    this.entries = index.paths.map((path, at) => new IndexedEntry(this, at, path))
    this.#compiler = compiler
    if (api) this.#take(api)
  }

  get id(): string {
    return this.index.id
  }

  get realm_uri(): string {
    return this.index.realm_uri
  }

  get features(): readonly string[] {
    return this.index.features
  }

  get facts(): ApiFacts {
    return this.index.facts
  }

  get isCompiled(): boolean {
    return this.#api !== undefined
  }

  /** The compiled document. Throws as {@link Compiler.compile} does. */
  get api(): Api {
    this.wasRead = true
    return this.#api ?? this.#again() ?? this.#keep(this.#compiler.compile(this))
  }

  get versions(): readonly DescribedVersion[] {
    return this.api.versions
  }

  compiling(): Promise<void> | undefined {
    if (this.#api !== undefined || this.#again() !== undefined) return undefined
    // requests that come meanwhile wait for the same
    this.#compiling ??= this.#compiler
      .compileInSteps(this)
      .then((api) => void (this.#api ?? this.#again() ?? this.#keep(api)))
      .finally(() => {
        this.#compiling = undefined
      })
    return this.#compiling
  }

  /** Forgets what was compiled. */
  forget(): void {
    this.#former = this.#api && new WeakRef(this.#api)
    this.#api = undefined
  }

  /** What was forgotten, if a request still has a route of it. */
  #again(): Api | undefined {
    const api = this.#former?.deref()
    return api && this.#keep(api)
  }

  #keep(api: Api): Api {
    this.#take(api)
    this.#compiler.keep(this)
    return api
  }

  #take(api: Api): void {
    this.#api = api
    this.#former = undefined
    for (const { routes } of api.entries) {
      for (const { path } of Object.values(routes)) owners.set(path.version.pool, api)
    }
  }
}
