/** A disk of few bytes, in memory: what is full for the tests. Needs the right to mount. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A mounted disk. */
export interface SmallDisk {
  resize(bytes: number): void
  /** Leaves no room. @returns what gives the room back */
  fill(): () => void
  /** Takes it away, with what is on it. */
  remove(): void
}

/** @param folder made for it; nothing may be there */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk {
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  return {
    resize: (size) => void execFileSync('mount', ['-o', `remount,size=${size}`, folder]),
    fill() {
      const ballast = join(folder, 'ballast')
      const opened = openSync(ballast, 'w')
      try {
        for (;;) writeSync(opened, Buffer.alloc(4096))
      } catch (cause) {
        if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause
      }
      closeSync(opened)
      return () => rmSync(ballast)
    },
    remove: () => void execFileSync('umount', [folder]),
  }
}
