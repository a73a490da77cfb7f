/** A disk of few bytes, in memory: what is full for the tests. Needs the right to mount. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** A mounted disk. */
export interface SmallDisk {
  resize(bytes: number): void
  /** Takes it away, with what is on it. */
  remove(): void
}

/** @param folder made for it; nothing may be there */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk {
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  return {
    resize: (size) => void execFileSync('mount', ['-o', `remount,size=${size}`, folder]),
    remove: () => void execFileSync('umount', [folder]),
  }
}
