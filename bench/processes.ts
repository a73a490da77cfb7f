/** Processes beside the bench: started, accounted, stopped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** The folder of the product. */
export const root = join(import.meta.dirname, '..')

/** A process has to be ready within this, milliseconds. */
const startTimeout = 60_000

/** Is the program on the path? */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What a program that is not on the path lacks; undefined: it is installed. @param from its package of Debian */
export const absentProgram = (program: string, from = program): string | undefined =>
  isInstalled(program) ? undefined : `not installed: apt-get install ${from}`

/** What a package of bench/package.json lacks; undefined: it is installed. */
export function absentPackage(name: string): string | undefined {
  try {
    import.meta.resolve(name)
    return undefined
  } catch {
    return 'not installed: npm ci --prefix bench'
  }
}

/** What to start. */
export interface Command {
  /** What the report calls it. */
  readonly name: string
  /** Default: the Node that runs the bench. */
  readonly program?: string
  /** @param folder empty, goes with the process */
  readonly args: (folder: string) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Where it runs; default: the folder of the product. */
  readonly folder?: string
}

/** A file under /proc; empty when the process or thread has just ended. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** A process and all that it has started. */
function treeOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    readProc(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(treeOf)]
}

/** However the bench ends, nothing that it started outlives it. */
const running = new Set<Process>()
process.once('exit', () => {
  for (const each of running) each.kill()
})

/** A running process of ours, in a process group of its own. */
export class Process {
  readonly name: string
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #ended: Promise<unknown>

  constructor(command: Command) {
    const { name, program = process.execPath, args, environment = {}, folder = root } = command
    this.name = name
    this.#folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
    // a file, so that reading log lines costs the bench nothing
    const output = openSync(this.#outputFile, 'w')
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('GATEWAY_'))
    this.#child = spawn(program, args(this.#folder), {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', output, output],
      detached: true,
    })
    closeSync(output)
    this.#ended = once(this.#child, 'exit')
    running.add(this)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Waits for a line of its output; what the expression's first group matched. @throws Error when it does not come */
  says(line: RegExp, withinMs = startTimeout): Promise<string> {
    return this.until(() => {
      const found = this.#output().match(line)
      return found ? (found[1] ?? '') : undefined
    }, withinMs)
  }

  /** Asks again and again until there is an answer. @throws Error when the process ends before, or takes too long */
  async until<T>(
    ask: () => T | undefined | Promise<T | undefined>,
    withinMs = startTimeout,
  ): Promise<T> {
    const end = Date.now() + withinMs
    while (Date.now() < end && this.isRunning) {
      const found = await ask()
      if (found !== undefined) return found
      await wait(5)
    }
    throw new Error(`${this.#child.spawnargs.join(' ')}: did not start\n${this.#output()}`)
  }

  /** User and system time so far, of all its threads and of the processes that it started; microseconds. */
  cpu(): number {
    return [...this.threads().values()].reduce((sum, { ran }) => sum + ran, 0)
  }

  /** How long each of its threads, and of the processes that it started, ran, and could have run but had no core; microseconds. */
  threads(): ReadonlyMap<string, { readonly ran: number; readonly waited: number }> {
    const threads = treeOf(this.pid).flatMap((pid) =>
      threadsOf(pid).map((thread) => `${pid}/task/${thread}`),
    )
    return new Map(
      threads.map((thread) => {
        const [ran, waited] = readProc(`${thread}/schedstat`).split(' ')
        return [thread, { ran: Number(ran) / 1000, waited: Number(waited ?? 0) / 1000 }]
      }),
    )
  }

  /** Resident set, MB; what processes share is counted in each. */
  rss(): number {
    return treeOf(this.pid)
      .map((pid) => Number(readProc(`${pid}/status`).match(/^VmRSS:\s+(\d+) kB/m)?.[1] ?? 0) / 1024)
      .reduce((sum, size) => sum + size, 0)
  }

  async stop(): Promise<void> {
    const { isRunning } = this
    this.kill()
    if (isRunning) await this.#ended
  }

  /** Ends its whole group at once, and removes its folder. */
  kill(): void {
    running.delete(this)
    if (this.isRunning) process.kill(-this.pid, 'SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #outputFile(): string {
    return join(this.#folder, 'output')
  }

  #output(): string {
    return readFileSync(this.#outputFile, 'utf8')
  }
}
