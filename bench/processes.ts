/** Child processes of the bench: started, accounted, stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** The folder of the product. */
export const root = join(import.meta.dirname, '..')

/** Linux says CPU time in ticks of this length, whatever the kernel's own are; microseconds. */
const tick = 10_000

/** A process has to be ready within this, milliseconds. */
const startTimeout = 15_000

/** A running process of ours. */
export class Process {
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #ended: Promise<unknown>
  /** However the bench ends, nothing that it started outlives it. */
  readonly #kill = () => {
    this.#child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** @param argsIn the arguments of node, given a folder that goes with the process */
  constructor(
    argsIn: (folder: string) => readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) {
    this.#folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
    // a file, so that reading log lines costs the bench nothing
    const output = openSync(this.#outputFile, 'w')
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEWAY_'))
    this.#child = spawn(process.execPath, argsIn(this.#folder), {
      cwd: root,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', output, 'inherit'],
    })
    closeSync(output)
    this.#ended = once(this.#child, 'exit')
    process.once('exit', this.#kill)
  }

  /** Waits for a line of its output; what the expression's first group matched. @throws Error when it does not come */
  async says(line: RegExp): Promise<string> {
    const end = Date.now() + startTimeout
    while (Date.now() < end && this.#child.exitCode === null) {
      const found = readFileSync(this.#outputFile, 'utf8').match(line)
      if (found) return found[1] ?? ''
      await wait(20)
    }
    throw new Error(`${this.#child.spawnargs.join(' ')}: did not print ${line}`)
  }

  /** User and system time so far, microseconds. */
  cpu(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8')
    // the second field is a name in parentheses; utime and stime are the 14th and 15th
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tick
  }

  /** Resident set, MB. */
  rss(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(status.match(/^VmRSS:\s+(\d+) kB/m)?.[1]) / 1024
  }

  async stop(): Promise<void> {
    const isRunning = this.#child.exitCode === null && this.#child.signalCode === null
    this.#child.kill('SIGKILL')
    if (isRunning) await this.#ended
    process.off('exit', this.#kill)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #outputFile(): string {
    return join(this.#folder, 'output')
  }
}
