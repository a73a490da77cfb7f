/** The files that patterns name, as far as their changes can be noticed: their state, and the folders in which it changes. */
import { glob, lstat, realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { findFiles } from '#component/registry/files.ts'

/** A text that is another one when any of the files has other content, has come or is gone. */
export async function stateOf(patterns: readonly string[]): Promise<string> {
  const { files } = await findFiles(patterns)
  const states = files.map(async (file) => {
    const found = await stat(file).catch(() => undefined)
    return [file, found?.ino, found?.mtimeMs, found?.size].join()
  })
  return (await Promise.all(states)).join('\n')
}

/** The folders in which files of the patterns change, come and go, and those in which links to them are turned elsewhere. */
export async function foldersOf(patterns: readonly string[]): Promise<ReadonlySet<string>> {
  const folders = new Set<string>()
  const { files } = await findFiles(patterns)
  for (const file of files) {
    folders.add(dirname(file))
    folders.add(dirname(await realpath(file).catch(() => file)))
  }
  for (const pattern of patterns) {
    for (const folder of await foldersOfPattern(resolve(pattern))) folders.add(folder)
  }
  for (const folder of [...folders]) {
    for (const link of await linksOnTheWay(folder)) folders.add(dirname(link))
  }
  return folders
}

const isMagic = (segment: string): boolean => /[*?[\]{}()!]/.test(segment)

/** Where files may come that match: the fixed beginning of the pattern, and every folder that its rest leads through. */
async function foldersOfPattern(pattern: string): Promise<string[]> {
  const segments = pattern.split(sep)
  const name = segments.length - 1
  const magic = segments.findIndex(isMagic)
  const fixed = magic < 0 ? name : Math.min(magic, name)
  const folders = [await nearestFolder(segments.slice(0, fixed).join(sep) || sep)]
  for (let length = fixed + 1; length <= name; length += 1) {
    for await (const path of glob(segments.slice(0, length).join(sep))) {
      if (await isFolder(path)) folders.push(path)
    }
  }
  return folders
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false, // it may come yet
  )

/** The folder, or while it is not there the one in which its way begins. */
async function nearestFolder(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if (path === dirname(path) || (await isFolder(path))) return path
  }
}

/** The symbolic links among a folder and those above it. */
async function linksOnTheWay(folder: string): Promise<string[]> {
  const links: string[] = []
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) links.push(path)
  }
  return links
}
