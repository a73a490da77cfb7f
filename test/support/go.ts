/** Go, for programs that are built once from the Go module proxy and kept in node_modules/.cache. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The folder of the programs that are kept for `use`; it need not exist. */
export const goCache = (use: string): string =>
  join(import.meta.dirname, '../../node_modules/.cache', use)

/** Runs Go. @throws Error that says what to install when it is missing */
export function go(words: readonly string[], environment = {}, cwd = process.cwd()): string {
  const env = { ...process.env, CGO_ENABLED: '0', ...environment }
  try {
    return execFileSync('go', words, {
      ...{ env, cwd },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    throw new Error('no go here: install Go 1.25 or later (https://go.dev/dl)', { cause })
  }
}
