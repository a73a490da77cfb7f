/** Mocha as a process: files side by side, or one by one. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** What Node has compiled is kept for the processes that tests start, and for the next run: half of each start. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/tests')

/** Runs mocha on files; resolves with its exit code. */
export async function mocha(options: readonly string[], files: readonly string[]): Promise<number> {
  if (files.length === 0) return 0
  const child = spawn('mocha', [...options, ...files], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE, ...process.env },
  })
  return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

/** Options with which at most `jobs` files run at once. */
export const sideBySide = (jobs: number): string[] => ['--parallel', '--jobs', String(jobs)]
