/** Folders of the disk as roots: opens a file, judges by what is open where it lies, and lets @fastify/send compose its response. */
import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
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

/** What cannot be opened, for whatever reason, is not there for clients. */
const openOrNot = (path: string): Promise<FileHandle | undefined> =>
  open(path, flags).catch(() => undefined)

/** Where the file that is open lies, links followed; undefined where that is not known. */
async function placeOf(handle: FileHandle, path: string): Promise<string | undefined> {
  const told = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (told !== undefined) return told
  // where the system does not tell it, the path has to lead to the very file that is open
  const [real, opened] = await Promise.all([realpath(path), handle.stat()])
  const found = await stat(real)
  return found.ino === opened.ino && found.dev === opened.dev ? real : undefined
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
  const handle = await openOrNot(path)
  if (handle === undefined) return 'nothing'
  let isPassedOn = false
  try {
    const stats = await handle.stat()
    const isFolder = stats.isDirectory()
    if (!isFolder && !stats.isFile()) return 'nothing'
    const place = await placeOf(handle, path)
    if (place === undefined || !(await root.holds(place))) return 'nothing'
    if (isFolder) return 'folder'
    const found = await respond(handle, place, asked, coding)
    isPassedOn = found.answer !== undefined && found.answer.body instanceof Readable
    return found
  } catch {
    return 'nothing'
  } finally {
    if (!isPassedOn) await handle.close()
  }
}

async function respond(
  handle: FileHandle,
  place: string,
  asked: AskedFile,
  coding: string | undefined,
): Promise<FileOutcome> {
  // HEAD: the bytes are read of the file that is open, and of no other that lies there by now
  const { range, 'if-range': condition, ...conditions } = asked.headers
  const request = { method: 'HEAD', headers: conditions }
  const encoded = place.split(sep).map(encodeURIComponent).join(sep)
  const composed = await send(request as never, encoded, {
    ...{ cacheControl: false, contentType: false, dotfiles: 'allow', index: false },
  })
  const { statusCode } = composed
  const { size } = await handle.stat()
  const path = asked.pieces.join('/')
  const name = asked.pieces.at(-1) ?? ''
  if (composed.type === 'error' && statusCode !== 412) throw new Error('not served')
  const isSent = statusCode === 200
  const told = Object.entries(composed.headers).map(([key, value]) => [key.toLowerCase(), value])
  const { 'content-length': _, ...headers } = Object.fromEntries(
    composed.type === 'error' ? [] : told,
  )
  const common = { ...headers, vary: 'accept-encoding' }
  const described = isSent
    ? { ...common, 'content-type': typeOf(name), ...(coding && { 'content-encoding': coding }) }
    : common
  const answered = async (
    status_code: number,
    headers: UpstreamAnswer['headers'],
    part?: Part,
  ): Promise<FileOutcome> => {
    const sent = part ? await bodyOf(handle, asked, part) : { body: noBytes, length: 0 }
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
  handle: FileHandle,
  { method }: AskedFile,
  { first: start, last }: Part,
): Promise<Pick<UpstreamAnswer, 'body' | 'length'>> {
  const length = last - start + 1
  if (method === 'HEAD' || length === 0) return { body: noBytes, length }
  if (length <= maxRead) {
    const body = Buffer.allocUnsafe(length)
    const { bytesRead } = await handle.read(body, 0, length, start)
    return { body: body.subarray(0, bytesRead), length: bytesRead }
  }
  return { body: handle.createReadStream({ start, end: last }), length }
}
