/** Watched files: what editors, package managers and container platforms do to them is noticed. */
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { FileWatcher } from '#component/reload/file-watcher.ts'
import { stateOf } from '#component/reload/watched-files.ts'
import { until } from '#test/support/running/until.ts'

describe('watched files', () => {
  let folder: string
  let watcher: FileWatcher
  let changes: number
  let warned: object[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-watch-'))
    changes = 0
    warned = []
    watcher = new FileWatcher({
      clock: systemClock,
      log: { warn: (line: object) => void warned.push(line) },
      onChange: async () => {
        changes += 1
      },
    })
  })
  afterEach(() => {
    watcher.close()
    rmSync(folder, { recursive: true })
  })

  const at = (...names: string[]) => join(folder, ...names)
  const write = (name: string, text: string) => writeFileSync(at(name), text)
  const follow = (...patterns: string[]) => watcher.follow(patterns.map((one) => at(one)))
  const changed = (count = 1) => until(`${count} changes are told`, () => changes === count)

  it('are told when one is written', async () => {
    write('a.json', '1')
    await follow('a.json')
    write('a.json', '2')
    await changed()
  })

  it('are told when another file takes the place of one, as editors do it', async () => {
    write('a.json', '1')
    await follow('a.json')
    for (const round of [1, 2]) {
      write('.a.json.swp', String(round))
      renameSync(at('.a.json.swp'), at('a.json'))
      await changed(round)
    }
  })

  it('are told when one comes or goes that a pattern matches', async () => {
    await follow('*.json')
    write('a.json', '1')
    await changed()
    rmSync(at('a.json'))
    await changed(2)
  })

  it('are told when one has changed since the state that is given, as while a gateway starts', async () => {
    write('a.json', '1')
    const patterns = [at('*.json')]
    const state = await stateOf(patterns)
    write('b.json', '1')
    await watcher.follow(patterns, state)
    await changed()
  })

  it('are told in folders that come later', async () => {
    await follow('specs/**/*.json')
    mkdirSync(at('specs', 'deep', 'deeper'), { recursive: true })
    write('specs/deep/deeper/a.json', '1')
    await changed()
    write('specs/deep/deeper/a.json', '22')
    await changed(2)
  })

  it('are told when the folder is replaced by another one', async () => {
    mkdirSync(at('specs'))
    write('specs/a.json', '1')
    await follow('specs/*.json')
    mkdirSync(at('next'))
    write('next/a.json', '22')
    renameSync(at('specs'), at('former'))
    renameSync(at('next'), at('specs'))
    await changed()
    write('specs/a.json', '333')
    await changed(2)
  })

  it('are told when a link to their folder is turned, as Kubernetes mounts a ConfigMap', async () => {
    mkdirSync(at('..1'))
    write('..1/gateway.yaml', 'a')
    symlinkSync('..1', at('..data'))
    symlinkSync(join('..data', 'gateway.yaml'), at('gateway.yaml'))
    await follow('gateway.yaml')
    mkdirSync(at('..2'))
    write('..2/gateway.yaml', 'b')
    symlinkSync('..2', at('..data_tmp'))
    renameSync(at('..data_tmp'), at('..data'))
    await changed()
  })

  it('are told when a link to a release is turned, above their folder', async () => {
    for (const release of ['1', '2']) {
      mkdirSync(at(release, 'specs'), { recursive: true })
      write(`${release}/specs/a.json`, release.repeat(Number(release)))
    }
    symlinkSync('1', at('current'))
    await follow('current/specs/*.json')
    symlinkSync('2', at('next'))
    renameSync(at('next'), at('current'))
    await changed()
  })

  it('are told once for changes that follow each other', async () => {
    await follow('*.json')
    for (let count = 0; count < 20; count += 1) write(`${count}.json`, 'x')
    await changed()
    write('last.json', 'x')
    await changed(2)
  })

  it('are told when they have stayed as they are for a while, and not while they are written', async () => {
    let pass: (() => void) | undefined
    const paused = () => until('a pause begins', () => pass !== undefined)
    const end = () => {
      pass?.()
      pass = undefined
    }
    watcher = new FileWatcher({
      clock: {
        after: (_, callback) => {
          pass = callback
          return () => undefined
        },
      },
      log: { warn: (line: object) => void warned.push(line) },
      onChange: async () => {
        changes += 1
      },
    })
    write('a.json', '1')
    await follow('a.json')
    for (const text of ['12', '123', '1234']) {
      write('a.json', text)
      await paused()
      write('a.json', `${text}…`)
      end()
      await paused()
      expect(changes).to.equal(0)
    }
    end()
    await changed()
  })

  it('are not told for other files of their folder', async () => {
    write('a.json', '1')
    await follow('a.json')
    write('gateway.db', 'x')
    write('a.json', '2')
    await changed()
    write('gateway.db', 'xx')
    write('a.json', '33')
    await changed(2)
  })

  it('are told no more when nothing is to be watched', async () => {
    write('a.json', '1')
    await follow('a.json')
    await watcher.follow([])
    write('a.json', '22')
    await follow('a.json', 'b.json')
    write('b.json', '1')
    await changed()
    expect(warned).to.deep.equal([])
  })

  it('are not told of any more once nothing is watched', async () => {
    mkdirSync(at('b'))
    watcher = new FileWatcher({
      clock: systemClock,
      log: { warn: (line: object) => void warned.push(line) },
      onChange: async () => undefined,
      watchFolder(path) {
        watcher.close()
        rmSync(at('b'), { recursive: true })
        return watch(path, { persistent: false })
      },
    })
    await follow('a.json', 'b/c.json')
    expect(warned).to.deep.equal([])
  })

  it('are still loaded by SIGHUP where folders cannot be watched, which is told once for each', async () => {
    watcher = new FileWatcher({
      clock: systemClock,
      log: { warn: (line: object) => void warned.push(line) },
      onChange: async () => undefined,
      watchFolder() {
        throw new Error('ENOSPC: System limit for number of file watchers reached')
      },
    })
    mkdirSync(at('b'))
    for (const _ of [1, 2]) await follow('a.json', 'b/c.json')
    expect(warned).to.deep.equal(
      [folder, at('b')].map((one) => ({
        folder: one,
        reason: 'ENOSPC: System limit for number of file watchers reached',
      })),
    )
  })
})
