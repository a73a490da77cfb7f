/** How a store is known to hang, or to have no room: by a clock that the test moves, and a server that does as told. */
import { expect } from 'chai'
import { type HealthPorts, StoreHealth } from '#component/store/health.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )

/** @param answers what the server says to each question: a time, a refusal, or nothing ever */
function healthOf(
  answers: () => Promise<number>,
  ports: Partial<HealthPorts> = {},
  server = { isReadOnly: false },
) {
  const clock = new ManualClock()
  const unanswered = new Error('the database does not respond')
  const health = new StoreHealth({
    clock,
    watched: {
      ask: async () => ({ ...server, now: await answers() }),
      abandon: () => undefined,
      close: async () => undefined,
    },
    probe: async () => undefined,
    unanswered: () => unanswered,
    ...ports,
  })
  const told: boolean[] = []
  health.onAway = () => told.push(health.isAway)
  return { clock, health, told, unanswered }
}

const never = () => new Promise<never>(() => undefined)

describe('the health of a store', () => {
  it('is away when the server gives no answer within 4 s, and queries end then', async () => {
    const { clock, health, told, unanswered } = healthOf(never)
    const asked = failure(health.guard(never))
    await clock.advance(4_000)
    expect(await asked).to.equal(unanswered)
    expect(told).to.deep.equal([true])
    expect(await failure(health.guard(async () => 1))).to.equal(unanswered)
    await health.close()
  })

  it('is well again with the next answer', async () => {
    let isFrozen = true
    const { clock, health, told } = healthOf(() => (isFrozen ? never() : Promise.resolve(0)))
    await clock.advance(4_000)
    isFrozen = false
    await clock.advance(1_500)
    await settled()
    expect(told).to.deep.equal([true, false])
    expect(await health.guard(async () => 1)).to.equal(1)
    await health.close()
  })

  it('is not away for a refusal, which every query meets by itself', async () => {
    const { clock, health, told } = healthOf(() =>
      Promise.reject(new Error('too many connections')),
    )
    await clock.advance(60_000)
    expect(told).to.deep.equal([])
    expect(await health.guard(async () => 1)).to.equal(1)
    await health.close()
  })

  it('knows how far the clock of the server is off', async () => {
    const set = healthOf(async () => set.clock.now() + 90_000)
    expect(set.health.clockOffsetMs).to.equal(undefined)
    await set.clock.advance(1_500)
    await settled()
    expect(set.health.clockOffsetMs).to.equal(90_000)
    await set.health.close()
  })

  it('is full from a query that found no room until something can be written', async () => {
    let hasRoom = false
    const { clock, health } = healthOf(async () => 0, {
      watched: undefined,
      probe: () => (hasRoom ? Promise.resolve() : Promise.reject(new Error('full'))),
    })
    const told: unknown[] = []
    health.onFault = (fault) => told.push(fault)
    health.noteFault('full')
    health.noteFault('full')
    await clock.advance(5_000)
    await settled()
    expect(told).to.deep.equal(['full'])
    hasRoom = true
    await clock.advance(5_000)
    await settled()
    expect([told, health.fault]).to.deep.equal([['full', undefined], undefined])
    await health.close()
  })

  it('is read-only as soon as its server says so, before anything is written, and until something was', async () => {
    const server = { isReadOnly: true }
    const probe = () => (server.isReadOnly ? Promise.reject(new Error('no')) : Promise.resolve())
    const { clock, health } = healthOf(async () => 0, { probe }, server)
    const told: unknown[] = []
    health.onFault = (fault) => told.push(fault)
    for (let second = 0; second < 20; second++) {
      await clock.advance(1_000)
      await settled()
    }
    expect(told).to.deep.equal(['read_only'])
    server.isReadOnly = false
    for (let second = 0; second < 6; second++) {
      await clock.advance(1_000)
      await settled()
    }
    expect(told).to.deep.equal(['read_only', undefined])
    await health.close()
  })

  it('asks nobody where the database is in this process', async () => {
    const { clock, health } = healthOf(never, { watched: undefined })
    await clock.advance(60_000)
    expect(await health.guard(async () => 1)).to.equal(1)
    expect(clock.pending).to.equal(0)
    await health.close()
  })
})
