/** Loads of large documents: others have their turn in between, and see one whole table all the time. */
import { expect } from 'chai'
import type { YieldTurn } from '#component/yielding.ts'
import { document, failure, registryWith } from './doubles.ts'
import { stampAt, versionOf } from './peers.ts'

const count = 200
const patterns = (prefix: string) => Array.from({ length: count }, (_, at) => `/${prefix}${at}`)
const large = (id: string, prefix = 'p', more = {}) => document(id, patterns(prefix), more)

/** A yieldTurn that pauses at every step, and what is done meanwhile. */
function pausing() {
  const seen = { pauses: 0, meanwhile: (): void => undefined }
  const yieldTurn: YieldTurn = () =>
    new Promise((resolve) => {
      seen.pauses += 1
      setImmediate(() => {
        seen.meanwhile()
        resolve()
      })
    })
  return { seen, yieldTurn }
}

describe('the load of a large document', () => {
  it('stops for others several times for each of its paths', async () => {
    const { seen, yieldTurn } = pausing()
    const { registry } = await registryWith({ yieldTurn })
    await registry.load(large('a'))
    expect(seen.pauses).to.be.greaterThan(5 * count)
  })

  it('is served as a whole or not at all, and what was there is served until then', async () => {
    const { seen, yieldTurn } = pausing()
    const { registry, serves, tables } = await registryWith({ yieldTurn })
    await registry.load(document('a', ['/old']))
    const found = new Set<string>()
    seen.meanwhile = () => {
      const news = patterns('p').filter((path) => serves(`/v1${path}`) !== undefined)
      found.add(`${serves('/v1/old')} ${news.length}`)
      expect(registry.get('a').hash).to.be.a('string')
    }
    const swaps = tables.length
    await registry.load(large('a'))
    seen.meanwhile()
    expect([...found]).to.deep.equal(['a 0', `undefined ${count}`])
    expect(tables.length).to.equal(swaps + 1)
  })

  it('is done before a small one that was asked for later, and after what was asked for before', async () => {
    const { yieldTurn } = pausing()
    const { registry, replica } = await registryWith({ yieldTurn })
    const done: string[] = []
    const loads = [document('first', ['/f']), large('large'), document('small', ['/s'])]
    await Promise.all(
      loads.map(async (one) => {
        await registry.load(one)
        done.push(one.id)
      }),
    )
    expect(done).to.deep.equal(['first', 'large', 'small'])
    const stamps = done.map((id) => replica.get('api_spec', id)?.stamp)
    expect(stamps.map((stamp) => stamp?.counter)).to.deep.equal([0, 1, 2])
  })

  it('lets no other change in between what it has seen and what it makes of it', async () => {
    const { seen, yieldTurn } = pausing()
    let isCompiled = false
    const realmExists = () => {
      isCompiled = true
      return true
    }
    const { registry, replica, serves } = await registryWith({ yieldTurn, realmExists })
    const order: string[] = []
    const others: Promise<unknown>[] = []
    seen.meanwhile = () => {
      if (!isCompiled || others.length > 0) return
      const entry = versionOf('b', document('b', ['/p0']), stampAt(900))
      others.push(replica.merge([entry]).then(() => order.push('merged')))
    }
    await registry.load(large('a')).then(() => order.push('loaded'))
    await Promise.all(others)
    expect(order).to.deep.equal(['loaded', 'merged'])
    // both want one route; the greater stamp has it
    expect(serves('/v1/p0')).to.equal('a')
    expect(registry.conflicts().map(({ id, reason }) => `${id} ${reason}`)).to.deep.equal([
      'b routes_taken',
    ])
  })

  for (const [what, broken] of [
    ['has an issue', large('b', 'q', { realm_uri: 'com.example.nowhere' })],
    ['wants the routes of another', document('b', [...patterns('q'), '/taken'])],
  ] as const) {
    it(`changes nothing when it ${what}`, async () => {
      const { yieldTurn } = pausing()
      const { registry, tables, store, replica } = await registryWith({ yieldTurn })
      await registry.load(document('a', ['/taken']))
      const [swaps, rows, digest] = [tables.length, store.rows.size, replica.digest()]
      expect(await failure(registry.load(broken))).to.have.property('issues')
      expect([tables.length, store.rows.size, replica.digest()]).to.deep.equal([
        swaps,
        rows,
        digest,
      ])
      await registry.load(document('c', ['/c']))
      expect(tables.length).to.equal(swaps + 1)
    })
  }

  it('is refused for its size in its turn, and the next one is loaded', async () => {
    const { yieldTurn } = pausing()
    const { registry } = await registryWith({ yieldTurn })
    const tooLarge = { ...document('a'), meta: { text: 'x'.repeat(5 * 1024 * 1024) } }
    const outcomes = await Promise.allSettled([
      registry.load(tooLarge),
      registry.load(document('b')),
    ])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled'])
    expect(registry.counts).to.deep.equal({ loaded: 1, refused: 1 })
  })
})
