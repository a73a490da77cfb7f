/** What the store is rid of, and when. */
import { expect } from 'chai'
import { openStore, type Store } from '#component/store/database.ts'
import { startCleanup } from '#component/wiring/store-cleanup.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const day = 86_400_000

const document = { id: 'a', text: 'of a' }

describe('housekeeping', () => {
  let clock: ManualClock
  let store: Store
  const warnings: unknown[] = []
  const log = { warn: (...line: unknown[]) => void warnings.push(line) }
  beforeEach(async () => {
    clock = new ManualClock()
    store = await openStore('sqlite::memory:', clock)
    warnings.length = 0
    const name = { kind: 'api_spec', id: 'a' } as const
    const loaded = { ms: clock.now(), counter: 0, node: 'n' }
    const gone = { ...loaded, counter: 1 }
    await store.entries.merge([
      { ...name, stamp: loaded, parent: null, hash: 'h', document },
      { ...name, stamp: gone, parent: loaded, hash: null, document: null },
    ])
  })
  afterEach(() => store.close())

  it('ends the history of a document some days after it was deleted, and keeps its tombstone', async () => {
    const stop = startCleanup({ store, clock, log, deletedDays: 7 })
    await clock.advance(7 * day)
    expect(await store.entries.versions('api_spec', 'a')).to.have.length(2)
    await clock.advance(day)
    stop()
    expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([])
    expect((await store.entries.since(0)).entries).to.have.length(1)
    expect(warnings).to.deep.equal([])
  })

  it('forgets the use of quotas an hour after their window has ended', async () => {
    const [window_start, window_end] = [clock.now(), clock.now() + day]
    const row = { rule: 'r', key: 'k', node: 'n', sharer: 's', window_start, window_end }
    await store.quotas.add([{ ...row, used: 1 }])
    const used = () => store.quotas.sums([row])
    const stop = startCleanup({ store, clock, log, deletedDays: 7 })
    await clock.advance(day + 3_500_000)
    expect(await used()).to.deep.equal([1])
    await clock.advance(3_700_000)
    stop()
    expect(await used()).to.deep.equal([0])
    expect(warnings).to.deep.equal([])
  })

  it('stops when it is told to', async () => {
    const stop = startCleanup({ store, clock, log, deletedDays: 0 })
    stop()
    await clock.advance(day)
    expect(await store.entries.versions('api_spec', 'a')).to.have.length(2)
    expect(clock.pending).to.equal(0)
  })

  it('does the rest when one part of it fails, and says which', async () => {
    const failing = {
      families: { removeExpired: () => Promise.reject(new Error('the store is away')) },
      entries: store.entries,
      answers: store.answers,
      logins: store.logins,
      ticketUses: store.ticketUses,
      quotas: store.quotas,
      shrink: () => store.shrink(),
    } as unknown as Store
    const stop = startCleanup({ store: failing, clock, log, deletedDays: 0 })
    await clock.advance(2 * 60_000)
    stop()
    expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([])
    expect(warnings).to.have.length(1)
    expect(JSON.stringify(warnings)).to.include('expired refresh tokens could not be removed')
  })

  it('removes answers that have expired, and no others, once a minute', async () => {
    const stop = startCleanup({ store, clock, log, deletedDays: 7 })
    const take = (scope: string, keptMs = 600_000) =>
      store.answers.take({
        ...{ scope, fingerprint: 'f', leaseMs: 5_000, keptMs, takesUnknown: false },
      })
    for (const [scope, keptMs] of [
      ['expires', 1_000],
      ['first', 500_000],
      ['second', 600_000],
    ] as const) {
      const owner = await take(scope, keptMs)
      if (owner.kind === 'taken') await store.answers.keep(owner.hold, scope)
    }
    await clock.advance(120_000)
    stop()
    const kinds = []
    for (const scope of ['expires', 'first', 'second']) kinds.push((await take(scope)).kind)
    expect(kinds).to.deep.equal(['taken', 'answered', 'answered'])
    expect(warnings).to.deep.equal([])
  })
})
