/** A clone of the project, to type commands in it. */
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The project as it is in a fresh clone after `npm ci`: its folder, which the caller removes. */
export function cloneProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clone-'))
  for (const name of [
    '.npmrc',
    'bin',
    'component',
    'http',
    'procedures',
    'examples',
    'package.json',
    'package/install-first.mjs',
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
