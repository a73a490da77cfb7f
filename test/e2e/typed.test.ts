/** Shells of the tests: what they start ends with them, and no wait is for a shell that is gone. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '#test/support/running/until.ts'
import { end, lineOf, type Typed, type } from '#test/support/typed.ts'

/** Prints its pid, and lives on whatever becomes of its shell. */
const lasting = 'sh -c "echo pid \\$\\$; exec sleep 600" &'

const isAlive = (pid: number): boolean => {
  try {
    // a process that nobody has asked for its end is listed still
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const pidOf = async (shell: Typed): Promise<number> => {
  const [, pid = ''] = await lineOf(shell, /^pid (\d+)$/)
  return Number(pid)
}

const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    ({ message }: Error) => message,
  )

describe('a shell of the tests', () => {
  for (const [what, last] of [
    ['runs', 'wait'],
    ['has ended well', ':'],
    ['has failed', 'exit 3'],
    ['was killed', 'kill -9 $$'],
  ] as const) {
    it(`takes what it has started with it when it ${what}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-typed-'))
      const goOn = join(folder, 'go-on')
      const shell = type(`${lasting} until [ -e ${goOn} ]; do sleep 0.05; done; ${last}`)
      const exit = once(shell, 'exit')
      const pid = await pidOf(shell)
      writeFileSync(goOn, '')
      if (what !== 'runs') await exit
      expect(isAlive(pid)).to.equal(true)
      await end(shell)
      await end(shell)
      // its files are closed just before its end
      await until('what it has started is gone', () => !isAlive(pid))
      rmSync(folder, { recursive: true })
    })
  }

  for (const [what, text] of [
    ['has printed nothing', `${lasting} :`],
    ['fails', 'echo something; false; echo wanted'],
    ['fails beside what it has started', `${lasting} false; echo wanted`],
    ['ends without that line', 'echo something'],
  ] as const) {
    it(`is not waited for when it ${what}`, async () => {
      const shell = type(text)
      expect(await rejection(lineOf(shell, /^wanted$/))).to.match(/^no \/\^wanted\$\/ in /)
      await end(shell)
    })
  }

  it('is not waited for when it has ended before', async () => {
    const shell = type(`${lasting} :`)
    await once(shell, 'exit')
    expect(await rejection(lineOf(shell, /^wanted$/))).to.match(/^no \/\^wanted\$\/ in /)
    await end(shell)
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`ends with all that it has started when the test process gets ${signal}`, async () => {
      const program = `
        import { lineOf, type } from '#test/support/typed.ts'
        const [, pid] = await lineOf(type(${JSON.stringify(`${lasting} wait`)}), /^pid (\\d+)$/)
        process.send(Number(pid))`
      const tests = fork('--input-type=module', ['-e', program])
      const [pid] = (await once(tests, 'message')) as [number]
      expect(isAlive(pid)).to.equal(true)
      tests.kill(signal)
      await until('what it has started is gone', () => !isAlive(pid))
    })
  }
})
