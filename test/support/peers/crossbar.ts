/** Crossbar.io for tests: a configuration made for the run, a free port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testRealms } from '#test/support/examples/realms.ts'
import { freePort } from '#test/support/free-port.ts'
import { pythonProgram } from './python-environment.ts'

const everything = { call: true, register: true, publish: true, subscribe: true }

/**
 * A config.json with realms in which everybody may do everything.
 * @param realms their names, and what else is said of them
 */
export const openConfiguration = (
  port: number,
  realms: readonly { readonly name: string }[] = testRealms.map((name) => ({ name })),
) => ({
  version: 2,
  workers: [
    {
      type: 'router',
      realms: realms.map((realm) => ({
        ...realm,
        roles: [
          {
            name: 'anonymous',
            permissions: [
              {
                uri: '',
                match: 'prefix',
                allow: everything,
                disclose: { caller: true, publisher: true },
                cache: true,
              },
            ],
          },
        ],
      })),
      transports: [
        {
          type: 'web',
          endpoint: { type: 'tcp', interface: '127.0.0.1', port },
          paths: {
            '/': { type: 'json', value: {} },
            ws: {
              type: 'websocket',
              auth: { anonymous: { type: 'static', role: 'anonymous' } },
              options: { max_message_size: 16_777_216, max_frame_size: 16_777_216 },
            },
          },
        },
      ],
    },
  ],
})

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const result = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return result
}

/** A running Crossbar.io. */
export interface Crossbar {
  readonly url: string
  /** SIGKILL to the router worker and its controller: the power is gone. */
  kill(): Promise<void>
  /** Takes all its processes off the processor until {@link resume}. */
  pause(): void
  resume(): void
  /** Starts it again on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts Crossbar.io on a free port of the loopback interface.
 * @param configurationFor its config.json
 */
export async function startCrossbar(
  configurationFor: (port: number) => unknown = (port) => openConfiguration(port),
): Promise<Crossbar> {
  const program = pythonProgram('crossbar')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'gateway-crossbar-'))
  mkdirSync(join(folder, 'node'))
  writeFileSync(join(folder, 'node/config.json'), JSON.stringify(configurationFor(port)))
  let child: ChildProcess
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    process.kill(-child.pid, signal)
    await ended
  }
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  }
  const start = async () => {
    child = spawn(program, ['start', '--cbdir', join(folder, 'node'), '--loglevel', 'warn'], {
      detached: true,
      stdio: 'ignore',
    })
    const deadline = Date.now() + 60_000
    while (!(await listens(port))) {
      if (Date.now() > deadline || child.exitCode !== null)
        throw new Error('crossbar did not start')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await start()
  return {
    url: `ws://127.0.0.1:${port}/ws`,
    kill: () => end('SIGKILL'),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    restart: start,
    stop: () => end('SIGTERM'),
  }
}
