/** The gateway as `npm start` runs it: a process of its own with the flags of that command, on the router of the run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { plainEnvironment } from './gateway-process.ts'
import { withTestSettings } from './test-settings.ts'

const root = join(import.meta.dirname, '../..')

/** The words of `npm start` behind `node`. */
function startWords(): readonly string[] {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
  return scripts.start.split(' ').slice(1)
}

/** A gateway in another process. */
export interface StartedGateway {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  readonly routerUrl: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
}

function launch(settings: Readonly<Record<string, string>>) {
  const router = process.env.WAMP_ROUTER_URL
  const all = withTestSettings({
    'gateway.listen': '127.0.0.1:0',
    'admin.listen': '127.0.0.1:0',
    'log.level': 'silent',
    ...(router !== undefined && { 'wamp.url': router }),
    ...settings,
  })
  const options = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  return spawn(process.execPath, [...startWords(), ...options], {
    cwd: root,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The three lines that say where it listens, by their first words. */
async function readAddresses(child: ReturnType<typeof launch>): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const line of createInterface(child.stdout)) {
    const [name = '', address = ''] = line.split(/ +/)
    if (address.includes('://')) found[name] = address
    if (name === 'router') return found
  }
  throw new Error('the gateway ended before it served')
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

/**
 * Starts a gateway on free ports.
 * @param settings options by dotted key, as `--set` takes them; `data_dir` is needed
 */
export async function npmStart(
  settings: Readonly<Record<string, string>>,
): Promise<StartedGateway> {
  const child = launch(settings)
  child.stderr.resume()
  const { gateway = '', admin = '', router = '' } = await readAddresses(child)
  child.stdout.resume()
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded(child)) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    }
    return child.exitCode
  }
  return {
    pid: child.pid ?? 0,
    url: gateway,
    adminUrl: admin,
    routerUrl: router,
    kill: async () => {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

/** Starts a gateway that is expected not to serve, and waits for its end. */
export async function npmStartFails(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = launch(settings)
  child.stdout.resume()
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stderr, [code]] = await Promise.all([text(child.stderr), closed])
  return { code, stderr }
}
