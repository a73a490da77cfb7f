/** What a page says to type into a terminal, typed: shells of their own, and what they print. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { plainEnvironment } from './gateway-process.ts'

const root = join(import.meta.dirname, '../..')

/** The blocks of a page that are for a shell, in their order. */
export const shellLinesOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(
    ([, text = '']) => text,
  )

/** A shell that runs what was typed. */
export type Typed = ChildProcess & { readonly stdout: NodeJS.ReadableStream }

/** Types lines into a shell of its own. */
export const type = (text: string): Typed =>
  spawn('sh', ['-e', '-c', text], {
    cwd: root,
    env: plainEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Reads lines until one fits. @throws Error with what was read when the output ends before */
export async function lineOf({ stdout }: Typed, pattern: RegExp): Promise<string[]> {
  let read = ''
  for await (const line of createInterface(stdout)) {
    const found = line.match(pattern)
    if (found) {
      stdout.resume()
      return found
    }
    read += `${line}\n`
  }
  throw new Error(`no ${pattern} in ${read}`)
}

/** Ends a shell and all that it has started. */
export async function end(child: Typed | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  // the shell is gone before what it has started, which holds its output open
  const closed = once(child, 'close')
  child.stdout.resume()
  process.kill(-child.pid, 'SIGTERM')
  await closed
}
