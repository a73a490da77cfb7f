/** What a newcomer types first: npm start, and the lines that it prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { expect } from 'chai'
import { cloneProject } from '#test/support/clone.ts'
import { lines, run, takePort } from '#test/support/command.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'

async function isFree(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const free = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  })
  socket.destroy()
  return free
}

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

  async function tour(
    options: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const demo = await startDemo(options, environment)
    try {
      await until(
        'the tour is printed',
        () => demo.output.text.includes('Ctrl-C') || !demo.isRunning(),
        30_000,
      )
      const { text } = demo.output
      expect(text).to.match(/^gateway {2}http:\/\/127\.0\.0\.1:18080$/m)
      expect(text).to.match(/^admin {4}http:\/\/127\.0\.0\.1:18081$/m)
      expect(text).to.match(/^router {3}ws:\/\/127\.0\.0\.1:18080\/ws$/m)
      const commands = lines(text)
        .map((line) => line.trim())
        .filter((line) => line.startsWith('curl '))
      const answers: string[] = []
      for (const command of commands) {
        const { code, stdout } = await run('sh', ['-c', command], folder)
        expect(code, command).to.equal(0)
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

  it('prints where it listens, and curl lines that work as printed', () => tour([]))

  it('does the same with several workers, where Kubernetes has a Service named gateway', () =>
    tour(['--', '--set', 'workers=2'], {
      GATEWAY_SERVICE_HOST: '10.0.0.1',
      GATEWAY_PORT: 'tcp://10.0.0.1:8080',
    }))

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
