/** Gateways that share a PostgreSQL database have one `store.key`, or do not start. Needs Debian's package. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { ConfigError, readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { openConfiguredStore } from '#component/wiring/open-store.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'

const main = fileURLToPath(new URL('../../component/cli/main.ts', import.meta.url))

describe('gateways that share a PostgreSQL database', () => {
  let server: Postgres
  let folder: string
  before(async () => {
    server = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'gateway-key-'))
  })
  after(async () => {
    await server?.remove()
    rmSync(folder, { recursive: true })
  })

  const settingsOf = (url: string, key: string) => ({
    data_dir: folder,
    'store.url': url,
    'store.key': key,
    'gateway.listen': '127.0.0.1:0',
    'admin.listen': '127.0.0.1:0',
  })

  const open = (url: string, key: string) =>
    openConfiguredStore(
      readConfig(undefined, {}, settingsOf(url, key)),
      systemClock,
      openLog('silent'),
    )

  it('start with one of two keys when they start at once', async () => {
    const url = await server.database()
    const keys = ['the key of gateway 1', 'the key of gateway 2']
    const opened = await Promise.allSettled(keys.map((key) => open(url, key)))
    const refusals = opened.flatMap((one) => (one.status === 'rejected' ? one.reason : []))
    expect(refusals).to.have.length(1)
    expect(refusals[0]).to.be.instanceOf(ConfigError)
    expect(String(refusals[0])).to.not.include('the key of gateway')
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close()
  })

  for (const workers of [1, 2]) {
    it(`end with 78 when their key is another one, with ${workers} worker(s)`, async () => {
      const url = await server.database()
      await (await open(url, 'the key of gateway 1')).close()
      const settings = { ...settingsOf(url, 'the key of gateway 2'), workers }
      const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
      const [code, text] = await new Promise<readonly unknown[]>((resolve) => {
        execFile(
          process.execPath,
          [main, 'start', ...flags],
          { timeout: 30_000 },
          (cause, _out, stderr) => resolve([cause?.code, stderr]),
        )
      })
      expect(text).to.include('option "store.key": store postgres://')
      expect(code).to.equal(78)
    })
  }
})
