/** Starts router-main.ts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { plainEnvironment } from '#test/support/gateway-process.ts'

const main = join(import.meta.dirname, 'router-main.ts')

/** @param flags `--drop-changes`: events of loads and deletes are refused */
export async function startRouterProcess(...flags: readonly string[]) {
  const child = spawn(process.execPath, ['--disable-proto=delete', main, ...flags], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
