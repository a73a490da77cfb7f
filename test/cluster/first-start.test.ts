/** The first start on a disk that takes nothing: it says why, leaves nothing behind, and the next one works. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { explain, textOf } from '#component/cli/start/failure.ts'
import { systemClock } from '#component/clock.ts'
import { readConfig } from '#component/config/config.ts'
import { openConfiguredStore, openFolder } from '#component/wiring/open-store.ts'
import { mountSmallDisk, type SmallDisk } from '#test/support/small-disk.ts'

const log = { warn: () => undefined } as never

describe('the first start of a gateway', () => {
  let folder: string
  let data_dir: string
  let disk: SmallDisk
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-first-'))
    data_dir = join(folder, 'disk')
    disk = mountSmallDisk(data_dir, 1_000_000)
  })
  afterEach(() => {
    disk.remove()
    rmSync(folder, { recursive: true })
  })

  /** What a start says, which ends before it serves; `started` for one that goes on. */
  async function start(): Promise<string> {
    const config = readConfig(undefined, {}, { data_dir })
    try {
      openFolder(config, log)
      const store = await openConfiguredStore(config, systemClock, log)
      await store.close()
      return 'started'
    } catch (cause) {
      return textOf(explain(cause, config))
    }
  }

  for (const [left, pages] of [
    ['nothing', 0],
    ['room for a name', 1],
    ['room for a name and a key', 2],
    ['room for a part of the store', 8],
    ['room for most of the store', 30],
  ] as const) {
    it(`leaves nothing half-made where the disk has ${left}`, async () => {
      const free = disk.fill()
      disk.resize(1_000_000 + pages * 4096)
      expect(await start()).to.match(/disk of the store is full|ENOSPC/)
      const files = readdirSync(data_dir).filter((file) => file !== 'ballast')
      expect(['node', 'store.key']).to.include.members(files)
      free()
      expect(await start()).to.equal('started')
    })
  }

  it('says that the folder is read-only, and what helps', async () => {
    execFileSync('mount', ['-o', 'remount,ro', data_dir])
    expect(await start()).to.match(/^option "data_dir": EROFS.*choose another folder/)
  })

  it('says it also of a store that is there', async () => {
    expect(await start()).to.equal('started')
    execFileSync('mount', ['-o', 'remount,ro', data_dir])
    expect(await start()).to.match(
      /^store sqlite:.*\(EROFS: read-only file system\).*choose another/,
    )
  })
})
