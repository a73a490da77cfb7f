/** Workers that end at once, cannot begin again, or are told to end: they are replaced, and nobody is turned away meanwhile. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { takePort } from '#test/support/command.ts'
import { ConnectionAttempts } from '#test/support/connection-attempts.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { startLoad } from '#test/support/load.ts'
import { until } from '#test/support/running/until.ts'
import { allAnswer, startWorkers } from '#test/support/worker-gateway.ts'
import { replaced, workersOf } from './replaced.setup.ts'

describe('a gateway whose workers are killed again', () => {
  const count = 2
  const gatewayOf = workersOf(count)

  it('refuses no connection when all of them are killed at a time', async () => {
    const gateway = gatewayOf()
    const attempts = new ConnectionAttempts(`${gateway.url}/workers/static`)
    const before = new Map(gateway.workers())
    for (const pid of before.values()) process.kill(pid, 'SIGKILL')
    for (const [name, pid] of before) await replaced(gateway, name, pid)
    const { 200: served = 0, broken = 0, ...others } = await attempts.stop()
    expect(others).to.deep.equal({})
    expect(served).to.be.above(0)
    expect(broken).to.be.at.most(count * 8)
  })

  it('stays ready while one is replaced', async () => {
    const gateway = gatewayOf()
    const attempts = new ConnectionAttempts(`${gateway.adminUrl}/ready`, 2)
    const [[name = '', pid = 0] = []] = gateway.workers()
    process.kill(pid, 'SIGKILL')
    await replaced(gateway, name, pid)
    const { 200: ready = 0, broken = 0, ...others } = await attempts.stop()
    expect(others).to.deep.equal({})
    expect(ready).to.be.above(0)
    expect(broken).to.be.at.most(2)
  })

  it('serves everything again with those that took their place', async () => {
    const gateway = gatewayOf()
    const name = [...gateway.workers().keys()].sort()[0] ?? ''
    const pid = gateway.workers().get(name) ?? 0
    process.kill(pid, 'SIGKILL')
    await replaced(gateway, name, pid)
    const answers = await Promise.all(
      Array.from({ length: count * 2 }, () => send(gateway.url, '/workers/static')),
    )
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
  })
})

describe('a worker that cannot begin again', () => {
  it('leaves the others serving, and is tried until it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-again-'))
    const dataDir = join(folder, 'data')
    const gateway = await startWorkers(2, {
      data_dir: dataDir,
      'store.url': `sqlite:${join(folder, 'gateway.db')}`,
    })
    try {
      const [[name = '', pid = 0] = []] = gateway.workers()
      renameSync(dataDir, `${dataDir}-away`)
      writeFileSync(dataDir, 'this is no folder')
      process.kill(pid, 'SIGKILL')
      const seen = new Set<number>()
      await until('it has been tried twice', async () => {
        const tried = gateway.workers().get(name)
        if (tried !== undefined && tried !== pid) seen.add(tried)
        expect((await send(gateway.url, '/workers/static')).status).to.equal(200)
        return seen.size === 2
      })
      rmSync(dataDir)
      renameSync(`${dataDir}-away`, dataDir)
      await allAnswer(gateway, 2)
      expect(await gateway.stop()).to.equal(0)
    } finally {
      await gateway.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('a worker that is told to end', () => {
  it('drains and is replaced, one after the other, and no request of 20 clients is lost', async () => {
    const gateway = await startWorkers(2, { 'gateway.drain_delay': '1000' })
    try {
      const statuses = new Set<number>()
      const load = startLoad({
        clients: 20,
        pause: 5,
        ask: () => ({ url: `${gateway.url}/workers/static` }),
        onAnswer: ({ status }) => statuses.add(status),
      })
      await load.more(200)
      const before = new Map(gateway.workers())
      for (const pid of before.values()) process.kill(pid, 'SIGTERM')
      let fewest = before.size
      await until('both are replaced', () => {
        const now = gateway.workers()
        fewest = Math.min(fewest, now.size)
        return [...before].every(([name, pid]) => (now.get(name) ?? pid) !== pid)
      })
      await allAnswer(gateway, 2)
      await load.more(200)
      await load.stop()
      expect(load.failures).to.deep.equal([])
      expect(statuses).to.deep.equal(new Set([200]))
      expect(fewest).to.be.at.least(1)
      expect(await gateway.stop()).to.equal(0)
    } finally {
      await gateway.kill()
    }
  })
})

describe('a gateway of workers that starts', () => {
  it('is ready when all of them are, on whichever it is asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-ready-'))
    const taken = await takePort()
    taken.free()
    const admin = `http://127.0.0.1:${taken.port}`
    const settings = {
      workers: '3',
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': `127.0.0.1:${taken.port}`,
      'log.level': 'silent',
      data_dir: folder,
    }
    const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const child = spawn(
      process.execPath,
      [
        '--disable-proto=delete',
        join(import.meta.dirname, '../../../component/cli/main.ts'),
        'start',
        ...flags,
      ],
      { env: plainEnvironment(), stdio: 'ignore' },
    )
    const ended = once(child, 'exit')
    try {
      const asked: number[] = []
      await until('it is ready', async () => {
        const status = await send(admin, '/ready').then(
          (answer) => answer.status,
          () => 0, // nobody listens yet
        )
        if (status !== 0) asked.push(status)
        return status === 200
      })
      // the first one answers while the others start
      expect(asked[0]).to.equal(503)
      const after = await Promise.all(Array.from({ length: 6 }, () => send(admin, '/ready')))
      expect(after.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200])
      const nodes = await Promise.all(Array.from({ length: 3 }, () => send(admin, '/registry')))
      const names = nodes.map((answer) => (answer.json() as { readonly node: string }).node)
      expect(new Set(names).size).to.equal(3)
    } finally {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
