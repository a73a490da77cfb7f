/** A command on a terminal of its own, made by script(1) of util-linux. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { plainEnvironment } from './gateway-process.ts'

export class Terminal {
  /** What has been written to it so far; its lines end with `\n`. */
  text = ''
  /** The exit code. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess

  /** @param command as typed into a shell */
  constructor(command: string, cwd: string, environment: NodeJS.ProcessEnv = {}) {
    const words = ['--quiet', '--flush', '--return', '--command', command, '/dev/null']
    const child = spawn('script', words, {
      cwd,
      env: { ...plainEnvironment(), TERM: 'xterm', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      this.text += chunk.replaceAll('\r\n', '\n')
    })
    this.#child = child
    this.ended = once(child, 'close').then(([code]) => code as number | null)
  }

  /** Types Ctrl-C; the exit code. */
  async interrupt(): Promise<number | null> {
    if (this.#child.exitCode === null) this.#child.stdin?.write('\u0003')
    return await this.ended
  }
}
