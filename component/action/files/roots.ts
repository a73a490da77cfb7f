/** Folders of the disk as roots: opens a file, judges by what is open where it lies, and composes its response. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  open,
  read,
  readlinkSync,
} from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import mime from 'mime'
import type { UpstreamAnswer } from '#component/action/action.ts'
import {
  contentRange,
  isOfSameBody,
  type Part,
  partOf,
  readByteRange,
} from '#component/syntax/byte-range.ts'
import { statusOn } from '#component/syntax/conditions.ts'
import {
  type AskedFile,
  type FileOutcome,
  type FoundFile,
  type Roots,
  suffixes,
} from './perform.ts'

/** A root, as the configuration has it. */
export interface RootSettings {
  /** A folder. */
  readonly path: string
  /** The realms whose documents may name it. */
  readonly realms: readonly string[]
}

/** A file of at most this size is read at once: cheaper than a stream; bytes. */
const maxRead = 65_536

// a pipe without a writer is opened, too, and is no regular file then
const flags = constants.O_RDONLY | constants.O_NONBLOCK

// A file is read by its descriptor: a file handle costs as much as all that is done with a small file, and so does each turn of the threads.
// The place and the state of an open file, and the close of a file that was only read, need no disk: the event loop does them.
const opening: (path: string, flags: number) => Promise<number> = promisify(open)

/** Reads bytes of a file; resolves with their number. Its own promise: that of node:util names what it resolves with, at the cost of more than the read. */
const reading = (fd: number, into: Buffer, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, into, 0, into.length, position, (error, bytesRead) => {
      if (error) reject(error)
      else resolve(bytesRead)
    })
  })

/** Where a file that is open lies, links followed; undefined where that is not known. */
function placeOf(fd: number, path: string): string | Promise<string | undefined> {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return placeOfSame(fd, path)
  }
}

/** Elsewhere the path has to lead to the very file that is open. */
async function placeOfSame(fd: number, path: string): Promise<string | undefined> {
  const place = await realpath(path)
  const [found, opened] = [await stat(place), fstatSync(fd)]
  return found.ino === opened.ino && found.dev === opened.dev ? place : undefined
}

/** A folder's path with a separator at its end. */
const folderOf = (path: string): string => (path.endsWith(sep) ? path : path + sep)

/** A root, and where it really lies. */
class Root {
  readonly #folder: string
  readonly realms: readonly string[]
  /** Undefined: not known yet, or the folder is gone. */
  #real: string | undefined

  constructor({ path, realms }: RootSettings) {
    this.#folder = folderOf(resolve(path))
    this.realms = realms
  }

  at(pieces: readonly string[]): string {
    return this.#folder + pieces.join(sep)
  }

  /** Whether a place lies in it. */
  has(place: string): boolean {
    const real = this.#real
    return real !== undefined && (place.startsWith(real) || place + sep === real)
  }

  /** Finds out where it lies now: a link to it may have been switched. */
  async locate(): Promise<void> {
    this.#real = await realpath(this.#folder).then(folderOf, () => undefined)
  }
}

/** The type of a file by its name, with its charset. */
function typeOf(name: string): string {
  const type = mime.getType(name) ?? 'application/octet-stream'
  const isText = type.startsWith('text/') || type === 'application/json'
  return isText ? `${type}; charset=utf-8` : type
}

/** The roots of a configuration. */
export function openRoots(settings: Readonly<Record<string, RootSettings>>): Roots {
  const roots = new Map(Object.entries(settings).map(([name, one]) => [name, new Root(one)]))
  return {
    async open(asked) {
      const root = roots.get(asked.root)
      if (root?.realms.includes(asked.realm_uri) !== true) return 'nothing'
      const path = root.at(asked.pieces)
      for (const coding of asked.codings) {
        const found = await openWithin(root, path + suffixes[coding], asked, coding)
        if (typeof found !== 'string') return found
      }
      return await openWithin(root, path, asked)
    },
  }
}

async function openWithin(
  root: Root,
  path: string,
  asked: AskedFile,
  coding?: string,
): Promise<FoundFile> {
  // what cannot be opened, for whatever reason, is not there for clients
  const fd = await opening(path, flags).catch(() => undefined)
  if (fd === undefined) return 'nothing'
  let isPassedOn = false
  try {
    const told = placeOf(fd, path)
    const place = typeof told === 'string' ? told : await told
    if (place === undefined) return 'nothing'
    if (!root.has(place)) {
      await root.locate()
      if (!root.has(place)) return 'nothing'
    }
    const found = await respond(fd, asked, coding)
    isPassedOn = typeof found !== 'string' && found.answer?.body instanceof Readable
    return found
  } catch {
    return 'nothing'
  } finally {
    if (!isPassedOn) closeSync(fd)
  }
}

async function respond(
  fd: number,
  asked: AskedFile,
  coding: string | undefined,
): Promise<FoundFile> {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) return 'folder'
  if (!stats.isFile()) return 'nothing'
  const { size, mtime } = stats
  const { pieces, headers: sent } = asked
  const etag = `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"`
  const modified = mtime.toUTCString()
  const vary = 'accept-encoding'
  const described = { 'accept-ranges': 'bytes', 'last-modified': modified, etag, vary }
  const answered = (
    status_code: number,
    headers: UpstreamAnswer['headers'],
    { body, length }: FileBody = empty,
  ): FileOutcome => ({
    result: { path: pieces.join('/'), size },
    answer: { status_code, headers, body, length },
  })
  const status = statusOn(sent, described)
  if (status === 304) return answered(status, described)
  if (status === 412) return answered(status, { vary })
  const isAsked = asked.method === 'GET' && isOfSameBody(sent['if-range'], described)
  const range = isAsked ? readByteRange(sent.range) : undefined
  const part = range === undefined ? { first: 0, last: size - 1 } : partOf(range, size)
  const cut = range && { 'content-range': contentRange(part, size) }
  if (part === undefined) return answered(416, { ...cut, vary })
  const headers: Record<string, string> = { ...described, ...cut }
  headers['content-type'] = typeOf(pieces.at(-1) ?? '')
  if (coding) headers['content-encoding'] = coding
  return answered(cut ? 206 : 200, headers, await bodyOf(fd, asked, part))
}

/** The body of an answer; `length` is that of GET. */
type FileBody = Pick<UpstreamAnswer, 'body' | 'length'>

const noBytes = new Uint8Array(0)
const empty: FileBody = { body: noBytes, length: 0 }

async function bodyOf(
  fd: number,
  { method }: AskedFile,
  { first: start, last }: Part,
): Promise<FileBody> {
  const length = last - start + 1
  if (method === 'HEAD' || length === 0) return { body: noBytes, length }
  if (length <= maxRead) {
    const body = Buffer.allocUnsafe(length)
    const count = await reading(fd, body, start)
    return { body: count < length ? body.subarray(0, count) : body, length: count }
  }
  return { body: createReadStream('', { fd, start, end: last }), length }
}
