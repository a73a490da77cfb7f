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

/** Where lines are typed. */
export interface TypedPlace {
  /** Working folder; absent: the clone. */
  readonly folder?: string
  /** Beside what is in the environment of each command. */
  readonly environment?: NodeJS.ProcessEnv
  /** Absent: `inherit`. */
  readonly stderr?: 'inherit' | 'pipe'
}

/** Ends all that the shell has started once this process is gone, however that ended: a pipe between them closes. */
const guard = '(read -r _ <&3 || :; kill 0) >/dev/null 2>&1 &\n'

/** The shells whose output has ended, and with it all that they had started. */
const over = new WeakSet<ChildProcess>()

/** Types lines into a shell of its own. */
export function type(text: string, place: TypedPlace = {}): Typed {
  const { folder = root, environment = {}, stderr = 'inherit' } = place
  const child = spawn('sh', ['-e', '-c', `${guard}${text}`], {
    cwd: folder,
    env: { ...plainEnvironment(), ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', stderr, 'pipe'],
  })
  child.once('close', () => over.add(child))
  return child as Typed
}

/** Signals a shell and all that it has started, which may be there without it. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** Reads lines until one fits. @throws Error with what was read when the output or the shell ends before */
export async function lineOf(child: Typed, pattern: RegExp): Promise<string[]> {
  const { stdout } = child
  // what the shell has left behind may hold the output open for ever
  const giveUp = () => endGroup(child)
  child.once('exit', giveUp)
  if (hasExited(child)) giveUp()
  let read = ''
  for await (const line of createInterface(stdout)) {
    const found = line.match(pattern)
    if (found) {
      child.off('exit', giveUp)
      stdout.resume()
      return found
    }
    read += `${line}\n`
  }
  throw new Error(`no ${pattern} in ${read}`)
}

/** Ends a shell and all that it has started, also where the shell has ended before. */
export async function end(child: Typed | undefined): Promise<void> {
  if (child?.pid === undefined || over.has(child)) return
  // the shell is gone before what it has started, which holds its output open
  const closed = once(child, 'close')
  child.stdout.resume()
  endGroup(child)
  await closed
}
