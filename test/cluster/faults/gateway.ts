/** A gateway with workers that keeps name, ports and data while it is stopped, killed, frozen and started again; and what it logs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdsWithin } from '#test/cluster/cluster.ts'
import { freePort } from '#test/support/free-port.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { withTestSettings } from '#test/support/test-settings.ts'

const root = join(import.meta.dirname, '../../..')

/** USER_HZ of Linux. */
const ticksPerSecond = 100

type Settings = Readonly<Record<string, string>>

/** The processes that one has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

export class FaultGateway {
  readonly url: string
  readonly adminUrl: string
  /** Messages of its log, with when they came; milliseconds since the epoch. */
  readonly logged: { readonly at: number; readonly message: string }[] = []
  readonly #settings: Settings
  readonly #folder: string
  #child: ChildProcess | undefined

  private constructor(settings: Settings, folder: string) {
    this.#settings = settings
    this.#folder = folder
    this.url = `http://${settings['gateway.listen']}`
    this.adminUrl = `http://${settings['admin.listen']}`
  }

  /** Takes ports and a folder; {@link start} runs it. */
  static async make(name: string, settings: Settings): Promise<FaultGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-fault-'))
    const own = {
      node: name,
      data_dir: folder,
      'gateway.listen': `127.0.0.1:${await freePort()}`,
      'admin.listen': `127.0.0.1:${await freePort()}`,
      'log.access': 'false',
    }
    return new FaultGateway({ ...own, ...withTestSettings(settings) }, folder)
  }

  /** Resolves when it is ready. @param clockOffset of a gateway without workers; milliseconds */
  async start(clockOffset?: number): Promise<void> {
    const pairs = Object.entries(this.#settings).map(([key, value]) => `${key}=${value}`)
    const words =
      clockOffset === undefined
        ? ['component/cli/main.ts', 'start', ...pairs.flatMap((pair) => ['--set', pair])]
        : ['test/cluster/node-main.ts', String(clockOffset), ...pairs, 'workers=1']
    const child = spawn(process.execPath, ['--disable-proto=delete', ...words], {
      cwd: root,
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    let rest = ''
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const message = /"level":(?:[4-6]0|"(?:warn|error)").*"msg":"([^"]*)/.exec(line)?.[1]
        if (message !== undefined) this.logged.push({ at: Date.now(), message })
      }
    })
    const isReady = async () => (await this.ask('/ready')).startsWith('200')
    if (!(await holdsWithin(60_000, isReady))) throw new Error(`${this.url} is not ready`)
  }

  /** Status and body of a path of the admin listener, within a second; or why there is none. */
  async ask(path: string): Promise<string> {
    try {
      const answer = await fetch(`${this.adminUrl}${path}`, { signal: AbortSignal.timeout(1000) })
      return `${answer.status} ${await answer.text()}`
    } catch (cause) {
      return cause instanceof Error ? cause.name : 'no answer'
    }
  }

  /** The primary and its workers. */
  get #pids(): number[] {
    const { pid } = this.#child ?? {}
    return pid === undefined ? [] : [pid, ...childrenOf(pid)]
  }

  pause(): void {
    for (const pid of this.#pids) process.kill(pid, 'SIGSTOP')
  }

  resume(): void {
    for (const pid of this.#pids) process.kill(pid, 'SIGCONT')
  }

  /** The processor time that its processes have taken; seconds. */
  get cpuSeconds(): number {
    const ticks = this.#pids.map((pid) => {
      // after the name, which may hold spaces, utime and stime are the fields 12 and 13 (proc_pid_stat(5))
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number)
      return user + system
    })
    return ticks.reduce((sum, own) => sum + own, 0) / ticksPerSecond
  }

  /** Kills all its processes at once, as if the machine had ended. */
  async kill(): Promise<void> {
    for (const pid of this.#pids) process.kill(pid, 'SIGKILL')
    await this.end('SIGKILL')
  }

  /** Sends a signal to its first worker. */
  signalWorker(signal: NodeJS.Signals): void {
    const [, worker] = this.#pids
    if (worker !== undefined) process.kill(worker, signal)
  }

  /** Sends a signal; resolves when the process has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const ended = once(child, 'exit')
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await ended
  }

  async discard(): Promise<void> {
    if (this.#child) this.resume()
    await this.end('SIGINT')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
