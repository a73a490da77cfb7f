/** What a newcomer types first: npm start, and the lines that it prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { cloneProject } from '#test/support/clone.ts'
import { lines, run, takePort } from '#test/support/command.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { startedAt } from '#test/support/started.ts'
import { Terminal } from '#test/support/terminal.ts'

async function isFree(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const free = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  })
  socket.destroy()
  return free
}

const root = join(import.meta.dirname, '../..')

describe('npm start', function () {
  this.timeout(120_000)
  let folder: string
  const demoPorts = [18080, 18081, 18082]

  /** `npm start`, until it has printed what to try; end it by `stop`. */
  async function startDemo(options: readonly string[], environment: NodeJS.ProcessEnv) {
    await until(
      'the ports of the example are free',
      async () => (await Promise.all(demoPorts.map(isFree))).every(Boolean),
      60_000,
    )
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

  before(() => {
    folder = cloneProject()
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The first commands of "A tour". */
  const tourOfReadme = lines(readFileSync(join(root, 'README.md'), 'utf8'))
    .filter((line) => line.startsWith('curl '))
    .slice(0, 6)

  async function tour(
    options: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const demo = await startDemo(options, environment)
    try {
      await until(
        'it is ready',
        () => startedAt(demo.output.text) !== undefined || !demo.isRunning(),
        30_000,
      )
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
    expect(await Promise.all(demoPorts.map(isFree))).to.deep.equal([true, true, true])
  }

  it('logs in JSON where it listens, and serves the tour of README.md', () => tour([]))

  it('does the same with several workers and addresses, where Kubernetes has a Service named gateway', () =>
    tour(['--', '--set', 'workers=2', '--set', 'admin.listen=127.0.0.1:18081'], {
      GATEWAY_GATEWAY__LISTEN: '127.0.0.1:18080',
      GATEWAY_SERVICE_HOST: '10.0.0.1',
      GATEWAY_PORT: 'tcp://10.0.0.1:8080',
    }))

  it('says on a terminal where it listens and what to do next, in ten lines and without a warning', async () => {
    await until(
      'the ports are free',
      async () => (await Promise.all(demoPorts.map(isFree))).every(Boolean),
      60_000,
    )
    const terminal = new Terminal('npm start', folder, { NO_COLOR: '1' })
    try {
      await until('it is ready', () => /^ready .*\n/m.test(terminal.text), 30_000)
      const shown = terminal.text.trimEnd().split('\n')
      expect(shown[1]).to.match(/^> wamp-gateway/)
      const named = shown.slice(4).map((line) => line.replace(/pid \d+/, 'pid PID'))
      expect(named).to.deep.equal([
        'hello | com.example.hello.greet and com.example.hello.count_waves are registered',
        'gateway  http://127.0.0.1:18080',
        'admin    http://127.0.0.1:18081',
        'router   ws://127.0.0.1:18080/ws',
        'try      curl http://127.0.0.1:18080/hello/Ada',
        'ready    pid PID; what is loaded, in a browser: http://127.0.0.1:18081/; more to try: README.md, "A tour"; Ctrl-C ends it',
      ])
      await fetch('http://127.0.0.1:18080/hello/Ada')
      const request = /^\d\d:\d\d:\d\d info {2}GET \S+ 200 \d+(\.\d)? ms$/m
      await until('the request is shown', () => request.test(terminal.text))
    } finally {
      await terminal.interrupt()
    }
    expect(terminal.text).to.match(/info {2}stopped\n$/)
  })

  for (const port of demoPorts) {
    it(`ends with an error that names port ${port} when it is taken`, async () => {
      await until('the port is free', () => isFree(port), 60_000)
      const taken = await takePort(port)
      try {
        const { code, stderr } = await run('npm', ['start', '--silent'], folder)
        expect(code).to.not.equal(0)
        expect(stderr).to.contain(String(port))
        expect(lines(stderr), stderr).to.have.length(1)
      } finally {
        taken.free()
      }
    })
  }
})
