/** Workers whose primary is killed, and whose output nobody reads: they end all the same. */
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '#test/support/free-port.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { isAlive } from '#test/support/worker-gateway.ts'

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A pipe that is full. */
class FullPipe {
  readonly reader: number
  readonly writer: number

  constructor(path: string) {
    execFileSync('mkfifo', [path])
    this.reader = openSync(path, O_RDONLY | O_NONBLOCK)
    this.writer = openSync(path, O_WRONLY | O_NONBLOCK)
    try {
      for (;;) writeSync(this.writer, 'x'.repeat(4096))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).to.equal('EAGAIN')
    }
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

describe('the workers of a gateway that is killed', () => {
  for (const isGone of [false, true]) {
    it(`end where ${isGone ? 'the reader of their log is gone' : 'nobody reads their log'}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-unread-'))
      const pipe = new FullPipe(join(folder, 'pipe'))
      const port = await freePort()
      const settings = {
        ...{ workers: '2', data_dir: folder, 'gateway.listen': '127.0.0.1:0' },
        'admin.listen': `127.0.0.1:${port}`,
      }
      const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
      const primary = spawn(
        process.execPath,
        ['--disable-proto=delete', 'component/cli/main.ts', 'start', ...flags],
        { stdio: ['ignore', pipe.writer, 'ignore'], env: plainEnvironment() },
      )
      closeSync(pipe.writer)
      let workers: number[] = []
      try {
        const isReady = () =>
          fetch(`http://127.0.0.1:${port}/ready`).then(
            ({ ok }) => ok,
            () => false,
          )
        await until('it is ready', isReady, 60_000)
        workers = childrenOf(primary.pid ?? 0)
        expect(workers).to.have.lengthOf(2)
        if (isGone) closeSync(pipe.reader)
        primary.kill('SIGKILL')
        await until('its workers have ended', () => !workers.some(isAlive), 20_000)
      } finally {
        for (const pid of workers) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
        primary.kill('SIGKILL')
        if (!isGone) closeSync(pipe.reader)
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
