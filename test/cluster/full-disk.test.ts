/** A store whose disk is full: it says so, serves what it has, and goes on when there is room again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { hashOf } from '#component/replica/entry.ts'
import { openStore } from '#component/store/database.ts'
import { version } from '#test/contract/store/documents.ts'
import { startPostgres } from '#test/support/peers/postgres.ts'
import { mountSmallDisk } from '#test/support/small-disk.ts'
import { holdsWithin } from './cluster.ts'

/** A store on a disk that is soon full. */
interface SmallStore {
  readonly url: string
  resize(bytes: number): void
  remove(): Promise<void>
}

const stores: Readonly<Record<string, () => Promise<SmallStore>>> = {
  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-full-'))
    const disk = mountSmallDisk(join(folder, 'disk'), 1_500_000)
    return {
      url: `sqlite:${join(folder, 'disk/gateway.db')}`,
      resize: disk.resize,
      async remove() {
        disk.remove()
        rmSync(folder, { recursive: true })
      },
    }
  },
  async PostgreSQL() {
    const server = await startPostgres()
    const { url, disk } = await server.smallDatabase(16_000_000)
    return { url, resize: disk.resize, remove: () => server.remove() }
  },
}

describe('a full disk', () => {
  for (const [name, make] of Object.entries(stores)) {
    it(`of ${name} is known until there is room, and takes nothing away`, async () => {
      const small = await make()
      const store = await openStore(small.url, systemClock)
      const told: unknown[] = []
      store.health.onFault = (fault) => told.push(fault)
      let written = 0
      const load = async (): Promise<unknown> => {
        // random text: PostgreSQL makes repetitions small
        const words = Array.from({ length: 20_000 }, () => Math.random().toString(36).slice(2))
        const document = { ms: written + 1, filler: words.join('') }
        const entry = version(`d${written + 1}`, written + 1, { document, hash: hashOf(document) })
        try {
          await store.entries.merge([entry])
          written++
          return 'kept'
        } catch (cause) {
          return cause instanceof Error && 'uri' in cause ? cause.uri : cause
        }
      }
      try {
        let outcome = await load()
        while (outcome === 'kept') outcome = await load()
        expect(outcome).to.equal('service.error.unavailable')
        expect([told, store.health.fault]).to.deep.equal([['full'], 'full'])
        expect((await store.entries.since(0)).entries).to.have.length(written)
        small.resize(64_000_000)
        expect(await holdsWithin(60_000, async () => store.health.fault === undefined)).to.equal(
          true,
        )
        expect(await load()).to.equal('kept')
        expect(told).to.deep.equal(['full', undefined])
      } finally {
        await store.close()
        await small.remove()
      }
    })
  }
})
