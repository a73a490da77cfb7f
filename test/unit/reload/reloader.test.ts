/** Reloads: what is taken over, what is told, and that none is lost. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Config, ConfigError, configOf } from '#component/config/config.ts'
import { tlsFilesOf } from '#component/config/tls-files.ts'
import { openLog } from '#component/log.ts'
import { Reloader, type ReloaderPorts } from '#component/reload/reloader.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import { readTls, type TlsSetup } from '#http/tls/tls-setup.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { Authority } from '#test/support/tls/authority.ts'

const operator = { by: 'SIGHUP', isOperator: true }
const file = { by: 'a change', isOperator: false }

type Loads = ReloaderPorts['gateway']['loadFiles']

/** A reloader of a gateway that runs with these options, and what becomes of it. */
function open(
  options: Parameters<typeof configOf>[0] = {},
  loads?: Loads,
  onConfig: () => unknown = () => undefined,
) {
  const lines: { msg: string }[] = []
  const files = tlsFilesOf(configOf(options).gateway.tls)
  let tls = files && readTls(files)
  const served: TlsSetup[] = []
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
    gateway: {
      ...{ log, logLevel, loadFiles },
      tls: () => tls,
      useTls(setup) {
        tls = setup
        served.push(setup)
      },
    },
    config: configOf(options),
    readConfig: () => read(),
    onConfig: async () => void onConfig(),
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

  describe('of certificates', () => {
    let folder: string
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gateway-reload-'))
      for (const name of ['a', 'b', 'c']) mkdirSync(join(folder, name))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    const write = (name: string, notAfter?: string) => {
      const { cert, key } = writeCertificate(join(folder, name), notAfter)
      return { cert, key }
    }
    const certOf = (name: string) => readFileSync(join(folder, name, 'cert.pem'), 'utf8')
    const refusedLine = 'the certificate was refused: the one before it is served on'

    it('serves the one that is there now, once', async () => {
      const { reloader, served } = open({ gateway: { tls: write('a') } })
      await reloader.reload(operator)
      expect(served).to.have.length(0)
      write('a')
      for (const asker of [operator, file, operator]) await reloader.reload(asker)
      expect(served.map(({ pairs }) => pairs.map(({ cert }) => cert))).to.deep.equal([
        [certOf('a')],
      ])
    })

    it('reads it when the files are watched already, so that none is missed', async () => {
      const { reloader, served } = open({ gateway: { tls: write('a') } }, undefined, () =>
        write('a'),
      )
      await reloader.reload(file)
      expect(served.map(({ pairs }) => pairs[0]?.cert)).to.deep.equal([certOf('a')])
    })

    it('keeps the one before when the new one is expired or cannot be read, tells it, and loads the files', async () => {
      const { reloader, served, patterns, told } = open({ gateway: { tls: write('a') } })
      const before = certOf('a')
      write('a', '20260101000000Z')
      await reloader.reload(file)
      rmSync(join(folder, 'a/key.pem'))
      await reloader.reload(file)
      const path = join(folder, 'a/cert.pem')
      expect(served.map(({ pairs, refused }) => [pairs[0]?.cert, refused])).to.deep.equal([
        [before, [path]],
      ])
      const lines = told(refusedLine)
      expect(lines).to.have.length(2)
      expect(lines[0]).to.deep.include({
        reason: `${path}: it expired at 2026-01-01T00:00:00.000Z`,
      })
      expect(lines[1]).to.have.property('reason').that.includes('key.pem')
      expect(patterns).to.have.length(2)
    })

    it('takes each of several over for itself, and tells a refusal once until it is another one', async () => {
      const { reloader, served, told } = open({ gateway: { tls: [write('a'), write('b')] } })
      const before = certOf('b')
      write('a')
      writeFileSync(join(folder, 'b/cert.pem'), certOf('b').slice(0, 200))
      for (const asker of [file, file]) await reloader.reload(asker)
      expect(told(refusedLine)).to.have.length(1)
      expect(served.at(-1)?.pairs.map(({ cert }) => cert)).to.deep.equal([certOf('a'), before])
      await reloader.reload(operator)
      expect(told(refusedLine)).to.have.length(2)
      write('b')
      await reloader.reload(file)
      expect(served.at(-1)).to.deep.include({ refused: [] })
      expect(served.at(-1)?.pairs.map(({ cert }) => cert)).to.deep.equal(['a', 'b'].map(certOf))
    })

    it('takes another list over as soon as each of its new ones can be served', async () => {
      const {
        reloader,
        served,
        write: configure,
      } = open({
        gateway: { tls: [write('a'), write('b')] },
      })
      const c = write('c')
      const before = certOf('b')
      rmSync(c.key)
      write('a')
      const [a, b] = ['a', 'b'].map((name) => ({
        cert: join(folder, name, 'cert.pem'),
        key: join(folder, name, 'key.pem'),
      }))
      configure({ gateway: { tls: [c, a] } })
      await reloader.reload(file)
      expect(served.at(-1)?.pairs.map(({ cert }) => cert)).to.deep.equal([certOf('a'), before])
      expect(b?.cert).to.equal(served.at(-1)?.pairs[1]?.file)
      write('c')
      await reloader.reload(file)
      expect(served.at(-1)?.pairs.map(({ cert }) => cert)).to.deep.equal(['c', 'a'].map(certOf))
    })

    it('judges clients by the authorities that are there now, or by those before', async () => {
      const root = new Authority('Root')
      const client_ca = join(folder, 'ca.pem')
      writeFileSync(client_ca, root.cert)
      const { reloader, served, told } = open({ gateway: { tls: { ...write('a'), client_ca } } })
      const next = new Authority('Next')
      writeFileSync(client_ca, root.cert + next.cert)
      await reloader.reload(file)
      writeFileSync(client_ca, next.issue({ name: 'a client' }).cert)
      await reloader.reload(file)
      expect(served.map(({ clients }) => clients?.ca.length)).to.deep.equal([2, 2])
      expect(told('the authorities of client certificates were refused')[0]).to.deep.include({
        reason: `${client_ca}: one of its certificates is not that of an authority`,
      })
      expect(served.at(-1)).to.deep.include({ refused: [client_ca] })
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
