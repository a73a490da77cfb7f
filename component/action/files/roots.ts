/** Folders of the disk as roots: opens a file, judges by what is open where it lies, and lets @fastify/send compose its response. */
import { closeSync, constants, createReadStream, fstat, open, read, readlinkSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { isUtf8MimeType, mime, send } from '@fastify/send'
import type { UpstreamAnswer } from '#component/action/action.ts'
import {
  contentRange,
  isOfSameBody,
  type Part,
  partOf,
  readByteRange,
} from '#component/syntax/byte-range.ts'
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

// descriptors, and few turns of the threads: file handles cost as much as what is done with them
const [opening, reading, statting] = [open, read, fstat].map((each) => promisify(each)) as [
  (path: string, flags: number) => Promise<number>,
  typeof read.__promisify__,
  typeof fstat.__promisify__,
]

/** A file that is open, links followed. */
interface Opened {
  readonly fd: number
  /** Where it lies. */
  readonly place: string
  /** A path that leads to this very file, whatever lies at its place by now. */
  readonly path: string
}

/** Where the file that is open lies; undefined where that is not known. */
async function placeOf(fd: number, path: string): Promise<Opened | undefined> {
  const own = `/proc/self/fd/${fd}`
  try {
    // of a system that tells it: no disk is asked
    return { fd, place: readlinkSync(own), path: own }
  } catch {
    // elsewhere the path has to lead to the very file that is open
    const [place, opened] = await Promise.all([realpath(path), statting(fd)])
    const found = await stat(place)
    const isSame = found.ino === opened.ino && found.dev === opened.dev
    return isSame ? { fd, place, path: place } : undefined
  }
}

/** A root, and where it really lies: a link that is switched to another folder is found out by the first file beyond. */
class Root {
  readonly #path: string
  readonly realms: readonly string[]
  #real: Promise<string | undefined> | undefined

  constructor({ path, realms }: RootSettings) {
    this.#path = path
    this.realms = realms
  }

  at(pieces: readonly string[]): string {
    return join(this.#path, ...pieces)
  }

  async holds(place: string): Promise<boolean> {
    this.#real ??= this.#resolve()
    if (isBelow(place, await this.#real)) return true
    this.#real = this.#resolve()
    return isBelow(place, await this.#real)
  }

  #resolve(): Promise<string | undefined> {
    return realpath(this.#path).catch(() => undefined)
  }
}

const isBelow = (place: string, root: string | undefined): boolean =>
  root !== undefined && (place === root || place.startsWith(root === sep ? sep : root + sep))

/** The type of a file by its name, with its charset. */
function typeOf(name: string): string {
  const known = mime.getType(name) ?? 'application/octet-stream'
  // the name that RFC 9239 has made obsolete
  const type = known === 'application/javascript' ? 'text/javascript' : known
  return isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
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
    const opened = await placeOf(fd, path)
    if (opened === undefined || !(await root.holds(opened.place))) return 'nothing'
    const found = await respond(opened, asked, coding)
    isPassedOn = typeof found !== 'string' && found.answer?.body instanceof Readable
    return found
  } catch {
    return 'nothing'
  } finally {
    // what was only read has nothing to write: no disk is asked, and a turn of the threads costs more
    if (!isPassedOn) closeSync(fd)
  }
}

async function respond(
  { fd, path: opened }: Opened,
  asked: AskedFile,
  coding: string | undefined,
): Promise<FoundFile> {
  // HEAD: the bytes are read of the file that is open, and of no other that lies there by now
  const { range, 'if-range': condition, ...conditions } = asked.headers
  const request = { method: 'HEAD', headers: conditions }
  const encoded = opened.split(sep).map(encodeURIComponent).join(sep)
  const composed = await send(request as never, encoded, {
    ...{ cacheControl: false, contentType: false, dotfiles: 'allow', index: false },
  })
  const { statusCode, type } = composed
  if (type === 'directory') return 'folder'
  if (type === 'error' && statusCode !== 412) return 'nothing'
  const stats = type === 'file' ? composed.metadata.stat : await statting(fd)
  if (!stats.isFile()) return 'nothing'
  const { size } = stats
  const path = asked.pieces.join('/')
  const name = asked.pieces.at(-1) ?? ''
  const isSent = statusCode === 200
  const told = Object.entries(composed.headers).map(([key, value]) => [key.toLowerCase(), value])
  const { 'content-length': _, ...headers } = Object.fromEntries(type === 'error' ? [] : told)
  const common = { ...headers, vary: 'accept-encoding' }
  const described = isSent
    ? { ...common, 'content-type': typeOf(name), ...(coding && { 'content-encoding': coding }) }
    : common
  const answered = async (
    status_code: number,
    headers: UpstreamAnswer['headers'],
    part?: Part,
  ): Promise<FileOutcome> => {
    const sent = part ? await bodyOf(fd, asked, part) : { body: noBytes, length: 0 }
    return { result: { path, size }, answer: { status_code, headers, ...sent } }
  }
  if (!isSent) return await answered(statusCode, described)
  const isAsked = asked.method === 'GET' && isOfSameBody(condition, headers)
  const asks = isAsked ? readByteRange(range) : undefined
  if (asks === undefined) return await answered(200, described, { first: 0, last: size - 1 })
  const part = partOf(asks, size)
  const cut = { 'content-range': contentRange(part, size) }
  return part
    ? await answered(206, { ...described, ...cut }, part)
    : await answered(416, { ...cut, vary: 'accept-encoding' })
}

const noBytes = new Uint8Array(0)

async function bodyOf(
  fd: number,
  { method }: AskedFile,
  { first: start, last }: Part,
): Promise<Pick<UpstreamAnswer, 'body' | 'length'>> {
  const length = last - start + 1
  if (method === 'HEAD' || length === 0) return { body: noBytes, length }
  if (length <= maxRead) {
    const body = Buffer.allocUnsafe(length)
    const { bytesRead } = await reading(fd, body, 0, length, start)
    return { body: body.subarray(0, bytesRead), length: bytesRead }
  }
  return { body: createReadStream('', { fd, start, end: last }), length }
}
