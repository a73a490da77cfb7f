/** Files that a start makes and a power failure must not take: written under another name, brought to the disk, then linked. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Brings a file, or the names in a folder, to the disk. Throws the error of the operating system. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Makes a file that only its owner reads, unless another process is faster: nobody ever sees a part of it. Throws the error of the
 * operating system, and of `write`; then there is no file.
 * @param write fills the empty file of this name
 */
export function makeFile(file: string, write: (draft: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    closeSync(openSync(draft, 'wx', 0o600))
    write(draft)
    flush(draft)
    linkSync(draft, file)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
  } finally {
    rmSync(draft, { force: true })
  }
  flush(dirname(file))
}

/** Makes a folder and those that it is in, if need be. */
export function makeFolder(folder: string, mode?: number): void {
  const first = mkdirSync(folder, { recursive: true, ...(mode !== undefined && { mode }) })
  if (first === undefined) return
  const outermost = dirname(resolve(first))
  for (let made = resolve(folder); made !== outermost; made = dirname(made)) flush(dirname(made))
}
