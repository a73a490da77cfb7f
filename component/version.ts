/** The version of this program. */
import { readFileSync } from 'node:fs'

/** The version of the package, as its manifest has it. */
export function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
