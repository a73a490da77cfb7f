/** Schemathesis reads what an API publishes, makes requests that fit it and requests that do not, and finds nothing to complain about. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { TestGateway } from '#test/support/gateway.ts'
import { openapiProgram } from '#test/support/peers/python-environment.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { openBookshop } from './bookshop.ts'
import { clerk, openOrders } from './orders.ts'

/** Requests for each operation and kind of data. */
const examples = rounds(20, 300)

describe('Schemathesis', function () {
  this.timeout(rounds(180_000, 1_800_000))
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'schemathesis-'))
    const settings = 'schemathesis.toml'
    copyFileSync(join(import.meta.dirname, settings), join(folder, settings))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Its exit code and report. */
  const run = (url: string, ...options: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly report: string }>((resolve) => {
      const args = [
        ...['run', url, '--checks', 'all', '--seed', '7', '--max-examples', String(examples)],
        ...['--no-color', '--continue-on-failure', '--warnings', 'off', ...options],
      ]
      const settings = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
      execFile(openapiProgram('schemathesis'), args, settings, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, report: stdout + stderr })
      })
    })

  for (const [what, open, path, options] of [
    ['of the tutorial', openBookshop, '/v1/openapi.json', []],
    ['with all kinds of parameters and bodies', openOrders, '/v1/openapi.json', []],
  ] as const) {
    it(`finds nothing wrong with an API ${what}`, async () => {
      const gateway: TestGateway = await open()
      const auth = ['--auth', `${clerk.username}:${clerk.password}`]
      try {
        const { code, report } = await run(gateway.url + path, ...auth, ...options)
        expect(code, report).to.equal(0)
      } finally {
        await gateway.stop()
      }
    })
  }
})
