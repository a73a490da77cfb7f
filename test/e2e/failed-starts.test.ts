/** Ways in which a start fails: one line says what is wrong, and which option, file or address it is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { lines, run, takePort } from '#test/support/command.ts'

const main = join(import.meta.dirname, '../../component/cli/main.ts')
const listen = { 'gateway.listen': '127.0.0.1:0', 'admin.listen': '127.0.0.1:0' }
const firstKey = 'the first key of this store'

/** What keeps the configuration from being read. */
const unread = ['a typo in a key', 'a value of the wrong type', 'a value that is not allowed']

/** What is wrong, the settings, the exit code, and the words that say what and where. */
const rows: readonly (readonly [
  what: string,
  settings: Readonly<Record<string, string>>,
  code: number,
  words: readonly string[],
])[] = [
  ['a typo in a key', { 'gateway.lissten': '1' }, 78, ['unknown option', '"gateway.lissten"']],
  ['a value of the wrong type', { workers: 'many' }, 78, ['workers']],
  ['a value that is not allowed', { 'log.level': 'loud' }, 78, ['log.level', 'info']],
  [
    'a TLS key that is missing',
    { 'gateway.tls': '{cert: absent.pem, key: absent.pem}' },
    78,
    ['gateway.tls', 'no such file', 'absent.pem'],
  ],
  [
    'a port that is in use',
    { 'gateway.listen': '127.0.0.1:PORT' },
    70,
    ['in use', '127.0.0.1:PORT'],
  ],
  ['a data_dir that is a file', { data_dir: 'a-file' }, 78, ['data_dir', 'a-file']],
  [
    'a store that is no database',
    { 'store.url': 'sqlite:a-file' },
    70,
    ['sqlite:a-file', 'not a database', 'restore a backup'],
  ],
  [
    'another store.key than that of the store',
    { data_dir: 'kept', 'store.key': 'another key of this store' },
    78,
    ['store.key', 'different key', 'gateway.db'],
  ],
  [
    'no cluster.key beside wamp.url',
    { 'wamp.url': 'ws://127.0.0.1:1/ws' },
    78,
    ['cluster.key', 'required with wamp.url'],
  ],
  [
    'an admin listener that everybody reaches',
    { 'admin.listen': '0.0.0.0:0' },
    78,
    ['admin.listen', 'admin.realm'],
  ],
]

describe('a start that fails', function () {
  this.timeout(30_000)
  let folder: string
  let taken: Awaited<ReturnType<typeof takePort>>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-starts-'))
    taken = await takePort()
    writeFileSync(join(folder, 'a-file'), 'this is no database'.repeat(1_000))
    const data = join(folder, 'kept')
    mkdirSync(data)
    const settings = { ...listen, data_dir: data, 'store.key': firstKey }
    const config = readConfig(undefined, {}, settings)
    await (await startComponent(config, openLog('silent'))).stop(0)
  })
  after(() => {
    taken?.free()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [what, settings, expected, words] of rows) {
    it(`because of ${what} has one line that says so, and ends with ${expected}`, async () => {
      const filled = (text: string) => text.replace('PORT', String(taken.port))
      const flags = Object.entries({ ...listen, ...settings }).flatMap(([key, value]) => [
        '--set',
        filled(`${key}=${value}`),
      ])
      const command = ['--disable-proto=delete', main, 'start', ...flags]
      const { code, stdout, stderr } = await run(process.execPath, command, folder)
      expect(code, stderr).to.equal(expected)
      expect(lines(stderr), stderr).to.have.length(1)
      const fatal = lines(stdout).filter((line) => line.includes('"level":"fatal"'))
      // without a configuration there is no log
      const hasLog = stdout.includes('"msg":"starting"')
      expect(fatal).to.have.length(hasLog ? 1 : 0)
      expect(hasLog).to.equal(!unread.includes(what))
      for (const line of [...lines(stderr), ...fatal]) {
        for (const word of words) expect(line).to.contain(filled(word))
      }
      expect(stdout + stderr).to.not.contain(firstKey)
    })
  }
})
