/** The signals of the command where it cannot become the gateway (Node before 22.15 has no process.execve): it passes them on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'

const root = join(import.meta.dirname, '../..')
const withoutExecve = 'data:text/javascript,delete process.execve'
const isReady = /"msg":"ready"/

describe('the command on a Node without execve', () => {
  let folder: string
  let child: ChildProcess
  let ended: Promise<unknown[]>
  let output: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-signals-'))
    output = ''
    const settings = ['gateway.listen=127.0.0.1:0', 'admin.listen=127.0.0.1:0', 'specs=[]']
    const options = [...settings, `data_dir=${folder}`].flatMap((each) => ['--set', each])
    const words = ['--import', withoutExecve, join(root, 'bin/wamp-gateway.mjs'), 'start']
    child = spawn(process.execPath, [...words, ...options], {
      cwd: root,
      env: plainEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    ended = once(child, 'exit')
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    await until('it is ready', () => isReady.test(output), 30_000)
  })

  afterEach(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const stops = async () => {
    expect(await ended).to.deep.equal([0, null])
    expect(output).to.include('"msg":"stopped"')
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops the gateway on ${signal}`, async () => {
      child.kill(signal)
      await stops()
    })
  }

  it('stops the gateway in order when a terminal sends SIGINT to both', async () => {
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await stops()
  })

  it('passes SIGHUP and SIGUSR2 on', async () => {
    child.kill('SIGHUP')
    await until('the files are read again', () => /"by":"SIGHUP"/.test(output))
    child.kill('SIGUSR2')
    await until('the log level changes', () => /"log_level":"debug".*"by":"SIGUSR2"/.test(output))
    child.kill('SIGTERM')
    await stops()
  })
})
