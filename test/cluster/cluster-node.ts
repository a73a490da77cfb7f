/** A node of a cluster under test: a gateway process that keeps name, ports and data while it is killed, paused and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/support/free-port.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { withTestSettings } from '#test/support/test-settings.ts'

const main = join(import.meta.dirname, 'node-main.ts')

/** What a node is started with. */
export interface NodePlan {
  readonly name: string
  /** How far its clock is off; milliseconds. */
  readonly clockOffset?: number
  /** Options by dotted key, as `--set` takes them. */
  readonly settings?: Readonly<Record<string, string>>
}

/** How long a start may take while the machine is busy; milliseconds. */
const startTimeout = 60_000

export class ClusterNode {
  readonly name: string
  readonly dataDir: string
  readonly #plan: NodePlan
  readonly #ports: { readonly gateway: number; readonly admin: number }
  #child: ChildProcess | undefined
  #package: string | undefined

  private constructor(plan: NodePlan, gateway: number, admin: number) {
    this.#plan = plan
    this.name = plan.name
    this.#ports = { gateway, admin }
    this.dataDir = mkdtempSync(join(tmpdir(), 'gateway-node-'))
  }

  /** Takes ports and a folder; {@link start} runs it. */
  static async make(plan: NodePlan): Promise<ClusterNode> {
    return new ClusterNode(plan, await freePort(), await freePort())
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports.gateway}`
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.#ports.admin}`
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** From its next start on, the package or the sources in this folder run; undefined: these sources. */
  upgrade(folder: string | undefined): void {
    this.#package = folder
  }

  /** Resolves when its listeners are open and it says that it is ready. */
  async start(): Promise<void> {
    const { name, clockOffset = 0, settings = {} } = this.#plan
    const all = {
      node: name,
      data_dir: this.dataDir,
      'gateway.listen': `127.0.0.1:${this.#ports.gateway}`,
      'admin.listen': `127.0.0.1:${this.#ports.admin}`,
      'log.level': process.env.TEST_LOG_LEVEL ?? 'silent',
      'log.access': 'false',
      // an older version does not know all of them
      ...(this.#package === undefined ? withTestSettings(settings) : settings),
    }
    const flags = Object.entries(all).map(([key, value]) => `${key}=${value}`)
    const words =
      this.#package === undefined
        ? ['--disable-proto=delete', main, String(clockOffset), ...flags]
        : [
            ...[join(this.#package, 'bin/wamp-gateway.mjs'), 'start'],
            ...flags.flatMap((flag) => ['--set', flag]),
          ]
    const child = spawn(process.execPath, words, {
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text)
      complaint = (complaint + text).slice(0, 1000)
    })
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    const started = once(child.stdout, 'data')
    const ended = once(child, 'close').then(([code, signal]) => {
      throw new Error(`${name} ended at its start: ${code ?? signal} ${complaint}`)
    })
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`${name} did not start`)), startTimeout).unref()
    })
    ended.catch(() => undefined) // it ends some day
    await Promise.race([started, ended, late])
  }

  /** Sends a signal; resolves with the exit code when the process has ended, with null for one that has none. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child
    if (child === undefined) return null
    const ended = once(child, 'exit') as Promise<[number | null]>
    child.kill(signal)
    return (await ended)[0]
  }

  /** Takes it off the processor until {@link resume}. */
  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Ends it and removes what it kept. */
  async discard(): Promise<void> {
    this.resume()
    await this.end('SIGKILL')
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
