/** Reloads: what is taken over, what is told, and that none is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Config, ConfigError, configOf } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { Reloader, type ReloaderPorts } from '#component/reload/reloader.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import type { KeyPair } from '#http/key-pair.ts'
import { writeCertificate } from '#test/support/certificate.ts'

const operator = { by: 'SIGHUP', isOperator: true }
const file = { by: 'a change', isOperator: false }

type Loads = ReloaderPorts['gateway']['loadFiles']

/** A reloader of a gateway that runs with these options, and what becomes of it. */
function open(options: Parameters<typeof configOf>[0] = {}, loads?: Loads) {
  const lines: { msg: string }[] = []
  const served: KeyPair[] = []
  const patterns: unknown[] = []
  const timers: { ms: number; callback: () => void }[] = []
  const log = openLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const logLevel = new LogLevel(log)
  let read: () => Config = () => configOf(options)
  const loadFiles: Loads = async (wanted) => {
    patterns.push({ specs: wanted.specs, realms: wanted.realms })
    return (await loads?.(wanted)) ?? { loaded: 0, refused: [] }
  }
  const reloader = new Reloader({
    gateway: { log, logLevel, loadFiles, useKeyPair: (pair) => served.push(pair) },
    config: configOf(options),
    readConfig: () => read(),
    onConfig: async () => undefined,
    clock: {
      now: () => Date.UTC(2026, 10, 22),
      after(ms, callback) {
        const timer = { ms, callback }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    },
  })
  return {
    ...{ reloader, lines, served, patterns, timers, logLevel },
    told: (text: string) => lines.filter(({ msg }) => msg.includes(text)),
    write(changed: Parameters<typeof configOf>[0]) {
      read = () => configOf(changed)
    },
    spoil() {
      read = () => {
        throw new ConfigError(['unknown option "spec"'])
      }
    },
  }
}

describe('a reload', () => {
  it('loads the files of the configuration as it is now', async () => {
    const { reloader, patterns, write, lines } = open({ specs: ['a.json'] })
    write({ specs: ['b/*.json'], realms: ['r.json'] })
    await reloader.reload(operator)
    expect(patterns).to.deep.equal([{ specs: ['b/*.json'], realms: ['r.json'] }])
    expect(lines.at(-1)).to.include({ by: 'SIGHUP', loaded: 0, refused: 0 })
  })

  it('changes nothing when the configuration is wrong, and tells it in one line', async () => {
    const { reloader, patterns, lines, spoil } = open()
    spoil()
    await reloader.reload(operator)
    expect(patterns).to.deep.equal([])
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({
      ...{ level: 'error', by: 'SIGHUP', reason: 'unknown option "spec"' },
      msg: 'the configuration was refused: nothing has changed',
    })
  })

  it('names the changed options that need a restart in one line: to operators each time, after a change once', async () => {
    const { reloader, told, write } = open()
    write({ workers: 2, gateway: { listen: 9 } })
    for (const asker of [file, file, operator]) await reloader.reload(asker)
    expect(told('restart the gateway')).to.have.length(2)
    expect(told('restart the gateway')[0]).to.deep.include({
      options: ['gateway.listen', 'workers'],
    })
  })

  describe('of the log level', () => {
    it('takes over the configured one', async () => {
      const { reloader, logLevel, write } = open({ log: { level: 'info' } })
      write({ log: { level: 'warn' } })
      await reloader.reload(file)
      expect(logLevel.current).to.equal('warn')
    })

    it('ends another one that was set meanwhile when an operator asks, not when a file has changed', async () => {
      const { reloader, logLevel } = open({ log: { level: 'info' } })
      logLevel.set('debug', 'ada')
      await reloader.reload(file)
      expect(logLevel.current).to.equal('debug')
      await reloader.reload(operator)
      expect(logLevel.current).to.equal('info')
    })
  })

  describe('of the certificate', () => {
    let folder: string
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gateway-reload-'))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    const withTls = () => {
      const { cert, key } = writeCertificate(folder)
      return open({ gateway: { tls: { cert, key } } })
    }

    it('serves the one that is there now, once', async () => {
      const { reloader, served } = withTls()
      await reloader.reload(operator)
      await reloader.reload(operator)
      writeCertificate(folder)
      await reloader.reload(operator)
      expect(new Set(served.map(({ cert }) => cert)).size).to.equal(2)
      expect(served).to.have.length(2)
    })

    it('keeps the one before when the new one is expired or cannot be read, tells it, and loads the files', async () => {
      const { reloader, served, patterns, told } = withTls()
      writeCertificate(folder, '20260101000000Z')
      await reloader.reload(file)
      rmSync(join(folder, 'key.pem'))
      await reloader.reload(file)
      expect(served).to.deep.equal([])
      const lines = told('the certificate was refused: the one before it is served on')
      expect(lines).to.have.length(2)
      expect(lines[0]).to.deep.include({
        reason: `${join(folder, 'cert.pem')}: it expired at 2026-01-01T00:00:00.000Z`,
      })
      expect(patterns).to.have.length(2)
    })
  })

  it('that is asked for while another runs follows it once, however many ask', async () => {
    const first = Promise.withResolvers<{ loaded: number; refused: [] }>()
    const { reloader, patterns } = open({}, () => first.promise)
    const all = [operator, file, operator, file].map((asker) => reloader.reload(asker))
    await Promise.resolve()
    first.resolve({ loaded: 0, refused: [] })
    await Promise.all(all)
    expect(patterns).to.have.length(2)
  })

  it('is tried again after ten seconds while files cannot be loaded', async () => {
    let isAway = true
    const { reloader, patterns, timers, told } = open({}, async () => {
      if (isAway) throw new Error('the router is away')
      return { loaded: 1, refused: [] }
    })
    await reloader.reload(operator)
    expect(told('trying again in 10 seconds')[0]).to.include({ reason: 'the router is away' })
    isAway = false
    const [timer] = timers
    expect(timer?.ms).to.equal(10_000)
    timer?.callback()
    await reloader.reload(operator)
    expect(patterns.length).to.be.greaterThan(1)
    expect(timers).to.have.length(0)
  })

  it('is tried again when a file is refused for a reason that passes', async () => {
    for (const isForNow of [true, false]) {
      const refused = [{ file: 'a.json', issues: [], isForNow }]
      const { reloader, timers } = open({}, async () => ({ loaded: 0, refused }))
      await reloader.reload(operator)
      expect(timers).to.have.length(isForNow ? 1 : 0)
    }
  })

  it('does not begin any more once it is closed', async () => {
    const { reloader, patterns, timers } = open({}, async () => {
      throw new Error('the router is away')
    })
    await reloader.reload(operator)
    reloader.close()
    await reloader.reload(operator)
    expect(patterns).to.have.length(1)
    expect(timers).to.have.length(0)
  })
})
