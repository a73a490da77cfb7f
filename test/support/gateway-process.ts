/** The gateway as a process of its own, to be sent signals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testRealms } from '#test/support/examples/realms.ts'
import { startedAt } from './started.ts'
import { withTestSettings } from './test-settings.ts'

const root = join(import.meta.dirname, '../..')

/** The environment of this process without what would configure a gateway. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GATEWAY_')))

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A gateway that runs; made by {@link startGatewayProcess}. */
export class GatewayProcess {
  /** Base address of the gateway listener. */
  readonly url: string
  readonly adminUrl: string
  /** Empty without `health.listen`. */
  readonly healthUrl: string
  readonly routerUrl: string
  readonly ended: Promise<Ending>
  readonly #child: ChildProcess
  readonly #output: () => string

  constructor(child: ChildProcess, output: () => string, ended: Promise<Ending>) {
    const at = startedAt(output())
    this.#child = child
    this.#output = output
    this.url = at?.gateway ?? ''
    this.adminUrl = at?.admin ?? ''
    this.healthUrl = at?.health ?? ''
    this.routerUrl = at?.router ?? ''
    this.ended = ended
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** What it has written to standard output so far. */
  get output(): string {
    return this.#output()
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The pids of its workers by their names; those that live. */
  workers(): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const pid of readWords(`/proc/${this.pid}/task/${this.pid}/children`, ' ')) {
      const words = readWords(`/proc/${pid}/cmdline`, '\0')
      const program = words.findIndex((word) => word.endsWith('/worker.ts'))
      const name = words[program + 1]
      if (program >= 0 && name !== undefined) found.set(name, Number(pid))
    }
    return found
  }

  /** Sends a signal; resolves when the process has ended, which most signals do not bring about at once. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ending> {
    this.#child.kill(signal)
    return this.ended
  }

  /** Lets it leave in order; its exit code. */
  async stop(): Promise<number | null> {
    return (await this.kill('SIGTERM')).code
  }

  /** POSTs JSON to the admin listener. @throws Error unless it is well received */
  async post(path: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.adminUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
}

/** What a file of the kernel lists; nothing once the process has ended. */
function readWords(file: string, separator: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(separator).filter(Boolean)
  } catch {
    return []
  }
}

/**
 * Starts one on free ports, with the realms of realms.ts.
 * @param settings options by dotted key, as `--set` takes them
 * @param wrapper a command that runs the one that follows it, such as one that sets limits
 * @param file a configuration file
 */
export async function startGatewayProcess(
  settings: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
  file?: string,
): Promise<GatewayProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-process-'))
  const all = withTestSettings({
    'gateway.listen': '127.0.0.1:0',
    'admin.listen': '127.0.0.1:0',
    'log.level': process.env.TEST_LOG_LEVEL ?? 'silent',
    data_dir: dataDir,
    ...settings,
  })
  const flags = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const main = [
    process.execPath,
    '--disable-proto=delete',
    'component/cli/main.ts',
    'start',
    ...(file === undefined ? [] : ['--config', file]),
    ...flags,
  ]
  const [command = '', ...words] = [...wrapper, ...main]
  const child = spawn(command, words, {
    cwd: root,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code, signal]): Ending => {
    rmSync(dataDir, { recursive: true, force: true })
    return { code, signal }
  })
  let output = ''
  let hasStarted = false
  child.stdout.setEncoding('utf8')
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: string) => {
      output += chunk
      // all of it is looked through for each chunk: a log of many lines would take the time of the test
      if (hasStarted || !startedAt(output)) return
      hasStarted = true
      resolve()
    })
    ended.then(() => reject(new Error(`the gateway did not start: ${output}`)))
  })
  const gateway = new GatewayProcess(child, () => output, ended)
  for (const uri of testRealms) {
    if (uri === 'service.gateway') continue
    await gateway.post('/services/load_realm', { uri, authmethods: ['anonymous'] })
  }
  return gateway
}
