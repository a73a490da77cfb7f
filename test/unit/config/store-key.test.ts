/** `store.key`: where it comes from, that it stays the same, and that a store opens under no other. */
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { ConfigError, readConfig } from '#component/config/config.ts'
import { maskConfig } from '#component/config/mask-config.ts'
import { storeSecret } from '#component/config/store-key.ts'
import { openLog } from '#component/log.ts'
import { openConfiguredStore } from '#component/wiring/open-store.ts'

const run = promisify(execFile)

describe('store.key', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-key-'))
    file = join(folder, 'store.key')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const configOf = (settings: Readonly<Record<string, string>> = {}) =>
    readConfig(undefined, {}, { data_dir: folder, ...settings })
  const secretOf = (settings?: Readonly<Record<string, string>>) =>
    storeSecret(configOf(settings), folder)

  const own = { 'store.key': '0123456789abcdef' }
  const cluster = { 'cluster.key': 'fedcba9876543210' }

  it('is the one of the configuration, whatever else there is', () => {
    writeFileSync(file, 'the key of the file\n')
    expect(secretOf({ ...own, ...cluster })).to.equal(own['store.key'])
    writeFileSync(join(folder, 'elsewhere'), `${own['store.key']}\n`)
    expect(secretOf({ 'store.key.file': join(folder, 'elsewhere') })).to.equal(own['store.key'])
  })

  it('is the one of the file before that of the cluster', () => {
    writeFileSync(file, 'the key of the file\n')
    expect(secretOf(cluster)).to.equal('the key of the file')
  })

  it('is the same on all gateways of a cluster, and no file is made', () => {
    expect(secretOf(cluster)).to.equal(secretOf({ ...cluster, 'wamp.url': 'ws://router/ws' }))
    expect(secretOf(cluster)).to.not.equal(secretOf({ 'cluster.key': 'another one of 16' }))
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('is, when cluster.key has changed, the former one', () => {
    expect(secretOf({ ...cluster, 'store.key': 'the former key of all' })).to.equal(
      secretOf({ 'cluster.key': 'the former key of all' }),
    )
  })

  it('is made once, for its owner only', () => {
    const secret = secretOf()
    expect(secret).to.match(/^[0-9a-f]{64}$/)
    expect(secretOf()).to.equal(secret)
    expect(readFileSync(file, 'utf8')).to.equal(`${secret}\n`)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(readdirSync(folder)).to.deep.equal(['store.key'])
  })

  it('is the same for all processes that start at once', async () => {
    const script = `
      import { readConfig } from '${import.meta.resolve('#component/config/config.ts')}'
      import { storeSecret } from '${import.meta.resolve('#component/config/store-key.ts')}'
      process.stdout.write(storeSecret(readConfig(undefined, {}), process.argv[1]))`
    const args = ['--input-type=module', '-e', script, folder]
    const started = Array.from({ length: 6 }, () => run(process.execPath, args))
    const secrets = (await Promise.all(started)).map(({ stdout }) => stdout)
    expect(secrets[0]).to.match(/^[0-9a-f]{64}$/)
    expect(new Set(secrets).size).to.equal(1)
    expect(readdirSync(folder)).to.deep.equal(['store.key'])
  })

  it('is not short, wherever it comes from', () => {
    const option = 'option "store.key"'
    expect(() => secretOf({ 'store.key': '0123456789abcde' })).to.throw(ConfigError, option)
    expect(() => secretOf({ 'cluster.key': '0123456789abcde' })).to.throw(ConfigError, '16 char')
    for (const text of ['', '\n', '0123456789abcde\n']) {
      writeFileSync(file, text)
      expect(() => secretOf()).to.throw(ConfigError, file)
    }
  })

  it('is needed: what cannot be read or kept keeps the gateway from starting', () => {
    mkdirSync(file)
    expect(() => secretOf()).to.throw(ConfigError, `option "store.key": ${file}`)
    const none = join(folder, 'none')
    expect(() => storeSecret(configOf(), none)).to.throw(ConfigError, 'option "store.key"')
  })

  it('is shown by no log', () => {
    expect(JSON.stringify(maskConfig(configOf(own)))).to.not.include(own['store.key'])
  })

  describe('and the store', () => {
    const open = (settings: Readonly<Record<string, string>> = {}) =>
      openConfiguredStore(configOf(settings), systemClock, openLog('silent'))
    const failure = (promise: Promise<unknown>) => promise.then(() => undefined, String)

    it('opens under the key that it was made with, and under no other', async () => {
      await (await open(own)).close()
      await (await open(own)).close()
      const refusal = await open(cluster).catch((cause: unknown) => cause)
      expect(refusal).to.be.instanceOf(ConfigError)
      expect(refusal).to.have.property('message').that.includes('option "store.key": store sqlite:')
      await (await open({ ...own, ...cluster })).close()
    })

    it('is not given a key anew when the file was lost', async () => {
      await (await open()).close()
      rmSync(file)
      expect(await failure(open())).to.include('was created with a different key')
    })

    it('takes one of two keys that come at once', async () => {
      const opened = await Promise.allSettled([open(own), open(cluster)])
      const stores = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      expect(stores).to.have.length(1)
      await stores[0]?.close()
    })
  })
})
