/** Ways in which a start fails: one line says what is wrong, and which option, file or address it is; of 2 workers, what a worker finds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { lines, run, takePort } from '#test/support/command.ts'
import { withTestSettings } from '#test/support/test-settings.ts'

const main = join(import.meta.dirname, '../../component/cli/main.ts')
const listen = { 'gateway.listen': '127.0.0.1:0', 'admin.listen': '127.0.0.1:0' }
const firstKey = 'the first key of this store'
const noCall = { authmethod: 'ticket', authid: 'a' }
const badKey = { 'com.example': { authmethod: 'cryptosign', authid: 'a', key: 'zz' } }

/** A start that fails. `PORT` stands for a port that is taken, `FOLDER` for the folder of the test. */
interface Row {
  readonly what: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly code: 64 | 70 | 78
  /** What the line says. */
  readonly words: readonly string[]
}

/** The command line and the configuration, before there is a log. */
const unread: readonly Row[] = [
  { what: 'a flag that is unknown', args: ['--lissten'], code: 64, words: ['--lissten'] },
  { what: 'a stray word', args: ['gateway.yaml'], code: 64, words: ['gateway.yaml'] },
  {
    what: 'an unknown variable of the environment',
    environment: { GATEWAY_LOG__LEVLE: 'info' },
    code: 78,
    words: ['log.levle'],
  },
  {
    what: 'an absent configuration',
    args: ['--config', 'absent.yaml'],
    code: 78,
    words: ['absent.yaml'],
  },
  { what: 'no worker', settings: { workers: 0 }, code: 78, words: ['workers'] },
  {
    what: 'workers that are no number',
    settings: { workers: 'many' },
    code: 78,
    words: ['workers'],
  },
  {
    what: 'a level that is not allowed',
    settings: { 'log.level': 'loud' },
    code: 78,
    words: ['log.level', 'info'],
  },
  {
    what: 'a value of specs that is no YAML',
    settings: { specs: '[a' },
    code: 78,
    words: ['specs'],
  },
]

/** What the start itself finds, in the process that the command starts. */
const refused: readonly Row[] = [
  ...['gateway.listen', 'health.listen'].map(
    (option): Row => ({
      what: `an address of ${option} that is none`,
      settings: { [option]: 'nowhere:port' },
      code: 78,
      words: [option],
    }),
  ),
  {
    what: 'a network of gateway.trusted_proxies that is none',
    settings: { 'gateway.trusted_proxies': '[nonsense]' },
    code: 78,
    words: ['gateway.trusted_proxies'],
  },
  {
    what: 'a TLS key that is missing',
    settings: { 'gateway.tls': { cert: 'absent.pem', key: 'absent.pem' } },
    code: 78,
    words: ['gateway.tls', 'no such file', 'absent.pem'],
  },
  {
    what: 'a data_dir that is a file',
    settings: { data_dir: 'a-file' },
    code: 78,
    words: ['data_dir', 'a-file'],
  },
  {
    what: 'a data_dir that is a device',
    settings: { data_dir: '/dev/null' },
    code: 78,
    words: ['data_dir', '/dev/null'],
  },
  {
    what: 'a kind of store that is unknown',
    settings: { 'store.url': 'mysql://nowhere' },
    code: 78,
    words: ['store.url'],
  },
  {
    what: 'another store.key than that of the store',
    settings: { data_dir: 'kept', 'store.key': 'another key of this store' },
    code: 78,
    words: ['store.key', 'different key', 'gateway.db'],
  },
  {
    what: 'an admin listener that everybody reaches',
    settings: { 'admin.listen': '0.0.0.0:0' },
    code: 78,
    words: ['admin.listen', 'admin.realm'],
  },
  {
    what: 'a key of wamp.realms that is none',
    settings: { 'wamp.realms': badKey },
    code: 78,
    words: ['wamp.realms'],
  },
  ...['admin.listen', 'health.listen', 'router.listen'].map(
    (option): Row => ({
      what: `a port of ${option} that is in use`,
      settings: { [option]: '127.0.0.1:PORT' },
      code: 70,
      words: ['in use', '127.0.0.1:PORT'],
    }),
  ),
]

/** What the primary or a worker finds: once for one process, and once for two workers. */
const ofBoth: readonly Row[] = [
  {
    what: 'a method of wamp.auth without what it needs',
    settings: { 'wamp.auth': noCall },
    code: 78,
    words: ['wamp.auth'],
  },
  {
    what: 'a port that is in use',
    settings: { 'gateway.listen': '127.0.0.1:PORT' },
    code: 70,
    words: ['in use', '127.0.0.1:PORT'],
  },
  {
    what: 'a store that is no database',
    settings: { 'store.url': 'sqlite:a-file' },
    code: 70,
    words: ['sqlite:a-file', 'not a database', 'stop the gateway and restore a backup'],
  },
  {
    what: 'a router that is none',
    settings: withTestSettings({ 'wamp.url': 'http://127.0.0.1/' }),
    code: 78,
    words: ['wamp.url'],
  },
  {
    what: 'no cluster.key beside wamp.url',
    settings: { 'wamp.url': 'ws://127.0.0.1:1/ws' },
    code: 78,
    words: ['cluster.key', 'required with wamp.url'],
  },
]

const ofWorkers: readonly Row[] = [
  ...ofBoth,
  ...['', 'too short'].map(
    (key): Row => ({
      what: `the cluster.key ${JSON.stringify(key)}`,
      settings: { 'wamp.url': 'ws://127.0.0.1:1', 'cluster.key': key },
      code: 78,
      words: ['cluster.key'],
    }),
  ),
  ...[
    ['is not there', 'absent'],
    ['has too long a path', 'deep'.repeat(30)],
    ['has a path that is no part of a URL', 'od:d'],
  ].map(
    ([title, name]): Row => ({
      what: `a folder of temporary files that ${title}`,
      environment: { TMPDIR: `FOLDER/${name}` },
      code: 78,
      words: ['TMPDIR'],
    }),
  ),
].map((row) => ({ ...row, settings: { workers: 2, ...row.settings } }))

describe('a start that fails', () => {
  let folder: string
  let taken: Awaited<ReturnType<typeof takePort>>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-starts-'))
    taken = await takePort()
    writeFileSync(join(folder, 'a-file'), 'this is no database'.repeat(1_000))
    for (const name of ['kept', 'deep'.repeat(30), 'od:d']) mkdirSync(join(folder, name))
    const settings = { ...listen, data_dir: join(folder, 'kept'), 'store.key': firstKey }
    const config = readConfig(undefined, {}, settings)
    await (await startComponent(config, openLog('silent'))).stop(0)
  })
  after(() => {
    taken?.free()
    rmSync(folder, { recursive: true, force: true })
  })

  const filled = (text: string) =>
    text.replace('PORT', String(taken.port)).replace('FOLDER', folder)

  const start = (
    settings: Readonly<Record<string, unknown>>,
    environment: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ) => {
    const flags = Object.entries({ ...listen, ...settings }).flatMap(([key, value]) => [
      '--set',
      filled(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ])
    const command = ['--disable-proto=delete', main, 'start', ...flags, ...args]
    const variables = Object.entries(environment).map(([name, value]) => [name, filled(value)])
    return run(process.execPath, command, folder, Object.fromEntries(variables))
  }

  const groups = [
    ['because of', unread, false],
    ['because of', refused, true],
    ['because of', ofBoth, true],
    ['of 2 workers because of', ofWorkers, true],
  ] as const
  for (const [title, rows, isConfigured] of groups) {
    for (const { what, settings = {}, environment, args, code: expected, words } of rows) {
      it(`${title} ${what} has one line that says so, and ends with ${expected}`, async () => {
        const { code, stdout, stderr } = await start(settings, environment, args)
        expect(code, stderr).to.equal(expected)
        expect(lines(stderr), stderr).to.have.length(1)
        const fatal = lines(stdout).filter((line) => line.includes('"level":"fatal"'))
        // without a configuration there is no log
        const hasLog = stdout.includes('"msg":"starting"')
        expect(fatal).to.have.length(hasLog ? 1 : 0)
        if (!isConfigured) expect(hasLog).to.equal(false)
        for (const line of [...lines(stderr), ...fatal]) {
          for (const word of words) expect(line).to.contain(filled(word))
        }
        expect(stdout + stderr).to.not.contain(firstKey)
        expect(stdout + stderr).to.not.contain('too short')
      })
    }
  }

  for (const workers of [1, 2]) {
    it(`of ${workers} because of a refused file with fail_on_refused_files ends with 78, and names its issues`, async () => {
      const file = join(folder, 'refused.spec.json')
      writeFileSync(file, JSON.stringify({ id: 'com.example.refused', host: '_' }))
      const settings = { fail_on_refused_files: true, workers, specs: [file] }
      const { code, stderr } = await start(settings)
      expect(code, stderr).to.equal(78)
      expect(lines(stderr)[0]).to.equal(
        `${file}: /realm_uri: realm_uri is missing: expected the URI of the realm that the API targets`,
      )
      expect(lines(stderr).at(-1)).to.contain('fail_on_refused_files')
    })
  }

  it('because the router refuses the procedures tells what it must allow', async () => {
    const config = readConfig(undefined, {}, { ...listen, data_dir: join(folder, 'router') })
    const router = await startComponent(config, openLog('silent'))
    const { code, stderr } = await start(withTestSettings({ 'wamp.url': router.routerUrl }))
    await router.stop(0)
    expect(stderr).to.equal(
      'the router does not allow the session of wamp.auth to register "service." on the realm service.gateway: wamp.error.not_authorized: the session may not register this URI with these options\n',
    )
    expect(code).to.equal(70)
  })
})
