/** The documents that are compiled: of those that were not asked for lately, the routes are forgotten once they are too many bytes. */
import { jsonParts } from '#component/codec/json.ts'
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import { ServiceError } from '#component/errors.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import type { Log } from '#component/log.ts'
import type { ApiEntries, TableChange } from '#component/routes/table-change.ts'
import { runAtOnce, runSteps, type Steps, type YieldTurn } from '#component/yielding.ts'
import { type ApiIndex, indexOf, isOf } from './api-index.ts'
import { type Compiler, IndexedDocument } from './indexed-document.ts'

/** The dependencies of {@link KeptDocuments}. */
export interface KeptPorts {
  /** Validates and compiles. */
  readonly compile: (document: unknown) => Steps<CompiledDocument<Api>>
  /** Bytes that all compiled documents may take, about: `limits.compiled_bytes`. */
  readonly maxBytes: number
  readonly yieldTurn: YieldTurn
  readonly log: Pick<Log, 'error'>
  /** Called when a document does not compile to what its index says: another build of this version has indexed it. */
  readonly onStale: (id: string) => void
  /** Called when a document that is served has been compiled for a request. */
  readonly onCompiled: (entries: ApiEntries<Route>) => void
}

/** One for each process. */
export class KeptDocuments implements Compiler {
  readonly #ports: KeptPorts
  /** Of indexed documents those that are compiled; those that were looked at last come last. */
  readonly #kept = new Set<IndexedDocument>()
  #bytes = 0
  /** How many documents were compiled because they were asked for. */
  compiled = 0

  constructor(ports: KeptPorts) {
    this.#ports = ports
  }

  /** How many bytes the compiled documents take, about, without those that always stay compiled. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * A document that was compiled, as it is to be served: by its index, unless it has to stay compiled.
   * @param length of the document, where it is known; characters of JSON
   */
  *indexing(document: unknown, api: Api, length?: number): Steps<Api | IndexedDocument> {
    const index = indexOf(api, length ?? (yield* lengthOf(document)))
    return index ? new IndexedDocument(document, index, this, api) : api
  }

  /** A document that has been compiled before by an equal gateway. */
  indexed(document: unknown, index: ApiIndex): IndexedDocument {
    return new IndexedDocument(document, index, this)
  }

  /** Follows the table that is served: what it serves no more is not kept, and what it begins to serve may be forgotten. */
  follow({ added, removed }: TableChange<Route>): void {
    for (const document of removed.flatMap(documentOf)) this.#drop(document)
    for (const document of added.flatMap(documentOf)) if (document.isCompiled) this.keep(document)
  }

  keep(document: IndexedDocument): void {
    if (this.#kept.has(document)) return
    this.#kept.add(document)
    this.#bytes += document.index.bytes
    // a document that was read since it was looked at last has a second chance
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#ports.maxBytes) break
      if (oldest.wasRead) {
        oldest.wasRead = false
        this.#kept.delete(oldest)
        this.#kept.add(oldest)
      } else {
        this.#drop(oldest)
        oldest.forget()
      }
    }
  }

  compile(document: IndexedDocument): Api {
    return this.#checked(document, runAtOnce(this.#ports.compile(document.document)))
  }

  async compileInSteps(document: IndexedDocument): Promise<Api> {
    const { compile, yieldTurn } = this.#ports
    return this.#checked(document, await runSteps(compile(document.document), yieldTurn))
  }

  #checked(document: IndexedDocument, { api, issues }: CompiledDocument<Api>): Api {
    if (api === undefined || !isOf(document.index, api)) {
      const { id } = document
      const message =
        'the document compiles to something else than its index says: it is indexed again'
      this.#ports.log.error({ api_spec: id, issues }, message)
      this.#ports.onStale(id)
      throw new ServiceError('service.error.unavailable', 'the API is being compiled again', {
        headers: { 'retry-after': '1' },
      })
    }
    this.compiled += 1
    this.#ports.onCompiled(document.entries)
    return api
  }

  #drop(document: IndexedDocument): void {
    if (this.#kept.delete(document)) this.#bytes -= document.index.bytes
  }
}

/** Characters of JSON. */
function* lengthOf(document: unknown): Steps<number> {
  let length = 0
  for (const part of jsonParts(document)) {
    length += part.length
    yield
  }
  return length
}

function documentOf([first]: ApiEntries<Route>): IndexedDocument | [] {
  return first?.indexed instanceof IndexedDocument ? first.indexed : []
}
