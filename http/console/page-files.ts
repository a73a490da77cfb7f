/** The files of the console: those beside this one, and Preact with htm, which comes from its package. Each is read once. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { programRoot } from '#component/program-root.ts'
import { tagOf } from '#http/management/conditional.ts'

/** The content codings of files, in the order of preference: browsers take br over HTTPS and at localhost alone. */
export const pageCodings = ['br', 'gzip'] as const

/** A file as it is served. */
export interface PageFile extends Readonly<Record<(typeof pageCodings)[number], Content>> {
  readonly type: string
  readonly plain: Content
}

/** A file in one content coding. */
interface Content {
  readonly bytes: Uint8Array
  readonly etag: string
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const typeOf = (name: string): string | undefined => types[name.slice(name.lastIndexOf('.') + 1)]

/** What the pages import as `preact.js`. */
const library = 'preact.js'

const folder = join(programRoot, 'http/console/page')

/** Names the files by their path below `/console/`. */
export function openPageFiles(): (name: string) => Promise<PageFile | undefined> {
  let names: Promise<ReadonlySet<string>> | undefined
  const files = new Map<string, Promise<PageFile>>()
  return async (name) => {
    names ??= list()
    const type = typeOf(name)
    // the name is one of a list: no request decides which file is read
    if (type === undefined || !(await names).has(name)) return undefined
    const file = files.get(name) ?? read(name, type)
    files.set(name, file)
    return await file
  }
}

async function list(): Promise<ReadonlySet<string>> {
  const found = await readdir(folder, { recursive: true })
  return new Set([...found.map((path) => path.replaceAll('\\', '/')), library])
}

async function read(name: string, type: string): Promise<PageFile> {
  if (name === library) {
    const url = import.meta.resolve('htm/preact/standalone')
    return await fileOf(await readFile(new URL(url, pathToFileURL('/'))), type)
  }
  return await fileOf(await readFile(join(folder, name)), type)
}

const contentOf = (bytes: Uint8Array): Content => ({ bytes, etag: tagOf(bytes) })

/** Options of brotli. */
const smallest = {
  params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
}

const fileOf = async (bytes: Uint8Array, type: string): Promise<PageFile> => ({
  type,
  plain: contentOf(bytes),
  br: contentOf(await promisify(brotliCompress)(bytes, smallest)),
  gzip: contentOf(await promisify(gzip)(bytes, { level: 9 })),
})
