/** A gateway of several processes that cannot start: it ends as one process does, and says why once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lines, run, takePort } from '#test/support/command.ts'

const program = join(import.meta.dirname, '../../../component/cli/main.ts')

describe('a gateway of 2 workers that cannot start', function () {
  this.timeout(60_000)
  let folder: string

  const start = (settings: Readonly<Record<string, string>>, environment = {}) => {
    const all = {
      workers: '2',
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'log.level': 'silent',
      ...settings,
    }
    const flags = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    return run(
      process.execPath,
      ['--disable-proto=delete', program, 'start', ...flags],
      folder,
      environment,
    )
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-start-'))
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, settings] of [
    ['workers', { workers: '0' }],
    ['workers', { workers: 'many' }],
    ['gateway.tls', { 'gateway.tls': '{cert: absent.pem, key: absent.pem}' }],
    ['data_dir', { data_dir: '/dev/null' }],
    ['store.url', { 'store.url': 'mysql://nowhere' }],
    ['admin.listen', { 'admin.listen': '0.0.0.0:0' }],
    // found by the workers
    ['wamp.auth', { 'wamp.auth': '{authmethod: ticket, authid: a}' }],
    ['wamp.url', { 'wamp.url': 'http://127.0.0.1/', 'cluster.key': 'a key of the tests' }],
  ] as const) {
    it(`ends with 78 on ${JSON.stringify(settings)} and names ${name} in one line`, async () => {
      const { code, stderr, stdout } = await start(settings)
      expect(stderr).to.contain(name)
      expect(lines(stderr), stderr).to.have.length(1)
      expect([code, stdout]).to.deep.equal([78, ''])
    })
  }

  for (const key of [{}, { 'cluster.key': '' }, { 'cluster.key': 'too short' }]) {
    it(`ends with 78 beside wamp.url with ${JSON.stringify(key)}, and does not show it`, async () => {
      const { code, stderr } = await start({ 'wamp.url': 'ws://127.0.0.1:1', ...key })
      expect(stderr).to.match(/^option "cluster\.key": /)
      expect(stderr).to.not.contain('too short')
      expect(lines(stderr), stderr).to.have.length(1)
      expect(code).to.equal(78)
    })
  }

  for (const [title, name] of [
    ['is not there', 'absent'],
    ['has too long a path', 'deep'.repeat(30)],
    ['has a path that is no part of a URL', 'od:d'],
  ] as const) {
    it(`ends with 78 where the folder of temporary files ${title}`, async () => {
      if (name !== 'absent') mkdirSync(join(folder, name))
      const { code, stderr } = await start({}, { TMPDIR: join(folder, name) })
      expect(stderr).to.contain('TMPDIR')
      expect(lines(stderr), stderr).to.have.length(1)
      expect(code).to.equal(78)
    })
  }

  it('ends with 70 and one line that says that an address is taken', async () => {
    const taken = await takePort()
    const { code, stderr } = await start({ 'gateway.listen': `127.0.0.1:${taken.port}` })
    taken.free()
    expect(stderr).to.contain(`127.0.0.1:${taken.port}`)
    expect(lines(stderr), stderr).to.have.length(1)
    expect(code).to.equal(70)
  })

  it('ends with 70 and names the file of a store that is no database', async () => {
    const store = join(folder, 'broken.db')
    writeFileSync(store, 'this is no database'.repeat(1000))
    const { code, stderr } = await start({ 'store.url': `sqlite:${store}` })
    expect(stderr).to.match(
      /^store sqlite:\S+broken\.db: the file of the store is not a database: stop the gateway and restore a backup/,
    )
    expect(code).to.equal(70)
  })
})
