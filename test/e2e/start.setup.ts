/** `npm start` in a copy of the project, and the tour of README.md. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { lines, run } from '#test/support/command.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { startedAt } from '#test/support/started.ts'

/** Whether nothing listens on a port. */
export async function isFree(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const free = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  })
  socket.destroy()
  return free
}

const root = join(import.meta.dirname, '../..')

/** Where the example listens. */
export const demoPorts = [18080, 18081, 18082]

/** Waits until nothing listens where the example does. */
export const portsFree = (): Promise<void> =>
  until('the ports of the example are free', async () =>
    (await Promise.all(demoPorts.map(isFree))).every(Boolean),
  )

/** `npm start`, until it has printed what to try; end it by `stop`. */
async function startDemo(
  folder: string,
  options: readonly string[],
  environment: NodeJS.ProcessEnv,
) {
  await portsFree()
  const child = spawn('npm', ['start', ...options], {
    cwd: folder,
    env: { ...plainEnvironment(), ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      output.text += chunk
    })
  }
  return {
    output,
    ended,
    isRunning: () => child.exitCode === null,
    /** As Ctrl-C does: the signal goes to everything in the foreground. */
    async stop() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
      await ended
    },
  }
}

/** The first commands of "A tour". */
const tourOfReadme = lines(readFileSync(join(root, 'README.md'), 'utf8'))
  .filter((line) => line.startsWith('curl '))
  .slice(0, 6)

/** Starts the example with these options, and types the first commands of "A tour". */
export async function tour(
  folder: string,
  options: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  const demo = await startDemo(folder, options, environment)
  try {
    await until('it is ready', () => startedAt(demo.output.text) !== undefined || !demo.isRunning())
    const log = lines(demo.output.text).filter((line) => !line.startsWith('> '))
    const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(new Set(entries.map(({ level }) => level))).to.deep.equal(new Set(['info']))
    expect(entries.find(({ program }) => program === 'hello')?.msg).to.match(/are registered$/)
    const { gateway, admin, router, command } = entries.at(-1) ?? {}
    expect({ gateway, admin, router, command }).to.deep.equal({
      gateway: ['http://127.0.0.1:18080'],
      admin: ['http://127.0.0.1:18081'],
      router: 'ws://127.0.0.1:18080/ws',
      command: 'curl http://127.0.0.1:18080/hello/Ada',
    })
    expect(command).to.equal(tourOfReadme[0])
    const answers: string[] = []
    for (const each of tourOfReadme) {
      const { code, stdout } = await run('sh', ['-c', each], folder)
      expect(code, each).to.equal(0)
      answers.push(stdout.split('\r\n\r\n').at(-1) || (stdout.split('\r\n')[0] ?? ''))
    }
    const info = JSON.parse(answers.pop() ?? '')
    expect(answers).to.deep.equal([
      '{"greeting":"Hello, Ada!"}',
      'HTTP/1.1 202 Accepted',
      '{"waves":1}',
      '{"id":1,"quote":"Simplicity is prerequisite for reliability."}',
      '{"name":"Hello","version":"1.0.0","you_asked":"127.0.0.1"}',
    ])
    expect(info).to.include({ id: 'com.example.hello', realm_uri: 'com.example.hello' })
  } finally {
    await demo.stop()
  }
  await portsFree()
}
