/** The version of this program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { programRoot } from './program-root.ts'

/** The version of the package, as its manifest has it. */
export function version(): string {
  const text = readFileSync(join(programRoot, 'package.json'), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
