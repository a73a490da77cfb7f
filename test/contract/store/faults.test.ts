/** A store that is damaged, emptied, or newer than the gateway: what people are told of it, and what is served all the same. */
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { hashOf } from '#component/replica/entry.ts'
import { Replica } from '#component/replica/replica.ts'
import { openStore } from '#component/store/database.ts'
import { version } from './documents.ts'

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing is wrong',
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  )

describe('a store with a fault', () => {
  let folder: string
  let file: string
  let url: string
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-fault-'))
    file = join(folder, 'gateway.db')
    url = `sqlite:${file}`
    const store = await openStore(url, systemClock)
    const texts = ['a', 'b'].map((id) => ({ id, ms: 1 }))
    await store.entries.merge(
      texts.map((document) => version(document.id, 1, { hash: hashOf(document), document })),
    )
    await store.close()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const inFile = (statement: string) => {
    const database = new DatabaseSync(file)
    database.exec(statement)
    database.close()
  }

  /** A replica of the store, and what it has logged. */
  async function started() {
    const store = await openStore(url, systemClock)
    const errors: unknown[][] = []
    const log = {
      error: (...line: unknown[]) => void errors.push(line),
      info: () => undefined,
      warn: () => undefined,
    }
    const replica = new Replica({
      store: store.entries,
      clock: systemClock,
      node: 'n',
      log: log as never,
    })
    await replica.start()
    return { store, replica, errors }
  }

  it('does not open when its file has been emptied, and says what to do', async () => {
    truncateSync(file, 0)
    const opened = openStore(url, systemClock)
    expect(await messageOf(opened)).to.match(/^the file of the store is empty: .*backup/)
  })

  for (const [what, from, found] of [
    ['of something else', 0, 'the file of the store is not a database'],
    ['with a whole first page, and something else after it', 4096, 'the store is damaged'],
  ] as const) {
    it(`does not open a file ${what}, and says what to do`, async () => {
      const opened = openSync(file, 'r+')
      const { size } = statSync(file)
      writeSync(opened, 'x'.repeat(size - from), from)
      closeSync(opened)
      expect(await messageOf(started()))
        .to.include(found)
        .and.include('backup')
    })
  }

  it('does not open a store that has a migration that this version does not know, and says so', async () => {
    inFile("insert into kysely_migration values ('999-of-tomorrow', '2030-01-01T00:00:00.000Z')")
    expect(await messageOf(openStore(url, systemClock))).to.match(
      /^another version of the gateway has migrated the tables \(999-of-tomorrow\): start a version that knows/,
    )
  })

  it('serves all documents but the one that cannot be read, and names it', async () => {
    inFile(`update entries set document = '{"id":' where id = 'a'`)
    const { store, replica, errors } = await started()
    expect(replica.entries('api_spec').map(({ id }) => id)).to.deep.equal(['b'])
    expect(replica.damaged.map(({ id }) => id)).to.deep.equal(['a'])
    expect(errors[0]?.[0]).to.include({ kind: 'api_spec', id: 'a' })
    expect(errors[0]?.[1]).to.match(/cannot be read and is not served: load it again/)
    // loading it again is the remedy
    await replica.change('api_spec', () => [{ id: 'a', document: { id: 'a', ms: 2 } }])
    expect(replica.damaged).to.deep.equal([])
    await store.close()
    const again = await started()
    expect(again.replica.entries('api_spec').map(({ id }) => id)).to.have.members(['a', 'b'])
    expect(again.errors).to.deep.equal([])
    await again.store.close()
  })

  it('names a document that does not match its hash, and serves it', async () => {
    inFile(`update entries set document = '{"id":"a","ms":7}' where id = 'a'`)
    const { store, replica, errors } = await started()
    expect(replica.get('api_spec', 'a')?.document).to.deep.equal({ id: 'a', ms: 7 })
    expect(replica.damaged).to.have.deep.nested.property('0.isChanged', true)
    expect(errors[0]?.[1]).to.include('does not match its hash')
    await store.close()
  })
})
