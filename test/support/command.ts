/** Commands as people type them, and ports that are taken. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { plainEnvironment } from './gateway-process.ts'

/** What a command came to. */
export interface Done {
  /** Exit code; -1 for one that a signal ended. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Longest that a command may take; milliseconds. */
const limit = 120_000

/** Runs a command to its end, without anything in the environment that would configure a gateway. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Done> {
  const env = { ...plainEnvironment(), ...environment }
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  // the whole group: what npm has started would survive it
  const timer = setTimeout(() => pid !== undefined && process.kill(-pid, 'SIGKILL'), limit)
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ])
  clearTimeout(timer)
  return { code: code ?? -1, stdout, stderr }
}

/** The lines of an output that are not empty. */
export const lines = (output: string) => output.split('\n').filter((line) => line !== '')

/** A listener on a port that others then cannot have. */
export async function takePort(port = 0) {
  const server = createServer((_request, response) => response.end()).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, free: () => server.close() }
}
