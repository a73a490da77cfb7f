/** `files`: a file below a root of the configuration, or the reason why none is served. */
import {
  type Action,
  type ActionFields,
  errorOf,
  goesOn,
  type Outcome,
  type Run,
} from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import type { Semaphore } from '#component/limits/semaphore.ts'
import { preferredCoding } from '#component/syntax/content-coding.ts'

/** A file that has been opened, and its response. */
export type FileOutcome = Extract<Outcome, { readonly result: unknown }>

/** What is asked of a root. */
export interface AskedFile {
  readonly realm_uri: string
  /** The name of the root. */
  readonly root: string
  /** Below the root, none of them empty, hidden or a dot segment; none: the root itself. */
  readonly pieces: readonly string[]
  readonly method: 'GET' | 'HEAD'
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Content codings that the client takes, the preferred one first. */
  readonly codings: readonly Coding[]
}

/** The suffixes of files that are compressed already, by coding. */
export const suffixes = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

type Coding = keyof typeof suffixes

/** What is found: a file with its response, a folder, or nothing that may be served. */
export type FoundFile = FileOutcome | 'folder' | 'nothing'

/** The folders of the configuration. */
export interface Roots {
  /** Opens a regular file. */
  open(asked: AskedFile): Promise<FoundFile>
}

/** What files are served by. */
export interface RootPorts {
  readonly roots: Roots
  /** Of the files that are open at once. */
  readonly openFiles: Semaphore
}

const codingNames = Object.keys(suffixes) as Coding[]

/** The codings that a client takes, the preferred one first. */
function codingsFor(field: string | undefined): readonly Coding[] {
  if (field === undefined || field === '') return []
  const taken: Coding[] = []
  for (let left = codingNames; left.length > 0; ) {
    const coding = preferredCoding(field, left)
    if (coding === undefined) break
    taken.push(coding)
    left = left.filter((name) => name !== coding)
  }
  return taken
}

/** Whether a piece of a path names nothing that is served. */
const isUnserved = (piece: string): boolean =>
  piece === '' || /[\\\0/]/.test(piece) || (piece.startsWith('.') && piece !== '.well-known')

/** The pieces of a path, without a slash at either end; undefined where it is no path of a file. */
function piecesOf(path: string): readonly string[] | undefined {
  const bare = path.replace(/^\//, '').replace(/\/$/, '')
  if (bare === '') return []
  const pieces = bare.split('/')
  return pieces.some(isUnserved) ? undefined : pieces
}

/** Whether a client names HTML among what it accepts. */
const takesPages = (accept: string | undefined): boolean =>
  accept?.split(',').some((range) => /^\s*text\/html\s*(?:;|$)/i.test(range)) === true

/** The first value whose pattern matches a path; `*` is any text. */
function cacheControlOf(patterns: unknown, path: string): string | undefined {
  for (const [pattern, value] of Object.entries((patterns ?? {}) as Record<string, string>)) {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w/-]/g, '\\$&'))
    if (new RegExp(`^${parts.join('.*')}$`, 's').test(path)) return value
  }
  return undefined
}

const missing = (reason: string): Outcome => ({
  error: errorOf('service.error.not_found', 'there is no such file'),
  reason,
})

/** The path of the file: the field, or the rest of the request's own. */
function askedPath({ path }: ActionFields, { request }: Run): string {
  const asked = path ?? request.bindings?.rest ?? ''
  if (typeof asked === 'string') return asked
  throw new FieldError(['path'], 'a text')
}

/** Sends the client to the folder with a slash at its end. */
function redirect({ request }: Run, path: string): Outcome {
  const { receivedPath = request.path, query_string } = request
  const location = `${receivedPath}/${query_string === '' ? '' : `?${query_string}`}`
  const answer = { status_code: 301, headers: { location }, body: new Uint8Array(0), length: 0 }
  return { result: { path, size: 0 }, answer }
}

/** What a request asks for, and how it is looked for. */
class Search {
  readonly #fields: ActionFields
  readonly #run: Run
  readonly #roots: Roots

  constructor(fields: ActionFields, run: Run, roots: Roots) {
    this.#fields = fields
    this.#run = run
    this.#roots = roots
  }

  async outcome(): Promise<Outcome> {
    const { request } = this.#run
    const path = askedPath(this.#fields, this.#run)
    const hasSlash = path.endsWith('/') || (request.receivedPath ?? request.path).endsWith('/')
    const pieces = piecesOf(path)
    if (pieces === undefined) return missing('a piece of the path is empty, hidden or not allowed')
    const found = pieces.length === 0 ? 'folder' : await this.#open(pieces)
    if (found === 'folder') return await this.#index(pieces, hasSlash)
    if (found !== 'nothing' && !hasSlash) return this.#sent(found, pieces)
    if (found !== 'nothing') discard(found)
    return (await this.#fallback(pieces)) ?? missing('the root has no such file')
  }

  #open(pieces: readonly string[]): Promise<FoundFile> {
    const { realm_uri, method, asksGet, request } = this.#run
    const { headers } = request as { readonly headers: Readonly<Record<string, string>> }
    return this.#roots.open({
      realm_uri,
      pieces,
      headers,
      root: String(this.#fields.root),
      method: method === 'head' && asksGet !== true ? 'HEAD' : 'GET',
      codings: codingsFor(headers['accept-encoding']),
    })
  }

  async #index(pieces: readonly string[], hasSlash: boolean): Promise<Outcome> {
    const { index = 'index.html' } = this.#fields
    const all = [...pieces, ...String(index).split('/')]
    if (!hasSlash) return redirect(this.#run, pieces.join('/'))
    const found = await this.#open(all)
    if (found !== 'folder' && found !== 'nothing') return this.#sent(found, all)
    return (await this.#fallback(pieces)) ?? missing('the folder has no index')
  }

  /** A page for what has no file: only for clients that read pages, and paths that do not look like a file. */
  async #fallback(pieces: readonly string[]): Promise<Outcome | undefined> {
    const { fallback } = this.#fields
    const accept = this.#run.request.headers.accept
    if (fallback === undefined || pieces.at(-1)?.includes('.')) return undefined
    if (!takesPages(typeof accept === 'string' ? accept : undefined)) return undefined
    const all = String(fallback).split('/')
    const found = await this.#open(all)
    return found === 'folder' || found === 'nothing' ? undefined : this.#sent(found, all)
  }

  #sent(found: FileOutcome, pieces: readonly string[]): Outcome {
    const { answer } = found
    const value = cacheControlOf(this.#fields.cache_control, pieces.join('/'))
    if (value === undefined || answer === undefined) return found
    return {
      ...found,
      answer: { ...answer, headers: { ...answer.headers, 'cache-control': value } },
    }
  }
}

function discard({ answer }: FileOutcome): void {
  if (answer && !(answer.body instanceof Uint8Array)) answer.body.destroy()
}

/** Makes the action. */
export const filesAction = ({ roots, openFiles }: RootPorts): Action => ({
  perform: (fields, run) =>
    openFiles.run(() => new Search(fields, run, roots).outcome(), undefined, goesOn),
})
