/** A gateway that was started in a terminal ends with the terminal: SIGHUP means that there, and a reload elsewhere. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '#test/support/running/until.ts'
import { isAlive } from '#test/support/worker-gateway.ts'

describe('a gateway in a terminal', () => {
  it('ends when the terminal is closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-terminal-'))
    const settings = {
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      data_dir: folder,
    }
    const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const words = [
      process.execPath,
      '--disable-proto=delete',
      'component/cli/main.ts',
      'start',
      ...flags,
    ]
    // script(1) is the terminal
    const terminal = spawn('script', ['-qfc', `exec ${words.join(' ')}`, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let pid = 0
    try {
      let output = ''
      terminal.stdout.on('data', (chunk) => {
        output += chunk
      })
      await until('the gateway has started', () => /^router /m.test(output), 30_000)
      const children = readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, 'utf8')
      pid = Number(children.split(' ')[0])
      expect(isAlive(pid)).to.equal(true)
      terminal.kill('SIGKILL')
      await once(terminal, 'exit')
      await until('the gateway has ended', () => !isAlive(pid), 30_000)
    } finally {
      if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
