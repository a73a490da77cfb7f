/** The compile cache of a start: it is kept beside the code, and only where no other account can write. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'

const preload = join(import.meta.dirname, '../../component/short-start.mjs')

describe('a program that is started with component/short-start.mjs', () => {
  let folder: string
  let cache: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-short-start-'))
    cache = join(folder, 'node_modules/.cache/wamp-gateway')
    mkdirSync(join(folder, 'component'))
    copyFileSync(preload, join(folder, 'component/short-start.mjs'))
    program('one')
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const program = (word: string) =>
    writeFileSync(
      join(folder, 'main.ts'),
      `const word: string = '${word}'
process.stdout.write(word)`,
    )

  const start = () => {
    const unset = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined }
    const flags = ['--import', './component/short-start.mjs', 'main.ts']
    return run(process.execPath, flags, folder, unset)
  }

  const ends = (word: string) => ({ code: 0, stdout: word, stderr: '' })

  /** What was kept, whichever Node it is of. */
  const kept = () => readdirSync(cache).flatMap((name) => readdirSync(join(cache, name)))

  it('leaves compiled code in a folder that is for its user only', async () => {
    expect(await start()).to.deep.equal(ends('one'))
    expect(statSync(cache).mode & 0o777).to.equal(0o700)
    expect(kept()).to.not.deep.equal([])
  })

  it('is what its source says now', async () => {
    await start()
    program('two')
    expect(await start()).to.deep.equal(ends('two'))
  })

  it('can be started several times at once', async () => {
    await start()
    const ofOne = kept()
    rmSync(cache, { recursive: true })
    const all = await Promise.all([start(), start(), start()])
    expect(all).to.deep.equal([ends('one'), ends('one'), ends('one')])
    expect(await start()).to.deep.equal(ends('one'))
    expect(kept()).to.have.members(ofOne)
  })

  it('neither reads nor writes where others could have written', async () => {
    mkdirSync(cache, { recursive: true })
    chmodSync(cache, 0o777)
    expect(await start()).to.deep.equal(ends('one'))
    expect(kept()).to.deep.equal([])
  })

  it('starts where nothing can be kept', async () => {
    writeFileSync(join(folder, 'node_modules'), 'no folder')
    expect(await start()).to.deep.equal(ends('one'))
  })
})
