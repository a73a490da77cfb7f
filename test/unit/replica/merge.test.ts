/** What other nodes send: the greatest stamp wins, on the disk first; what is unsound or from the future moves nothing. */
import { expect } from 'chai'
import type { Entry } from '#component/replica/entry.ts'
import { compareStamps } from '#component/replica/stamp.ts'
import { document, failure, idle, nodeOf, stampAt, start, version } from './doubles.ts'

describe('Replica.merge', () => {
  it('takes what is new and what is newer: on the disk, then live', async () => {
    const { replica, store, live, told, textOf } = await nodeOf('a')
    const first = version('x', stampAt(1), 'one')
    const second = version('x', stampAt(2), 'two', { parent: first.stamp })
    const onDisk: boolean[] = []
    replica.watch('api_spec', (changes) => {
      onDisk.push(store.rows.get('api_spec x')?.hash === changes[0]?.entry.hash)
      live.push(...changes)
    })
    expect(await replica.merge([first])).to.deep.equal({ merged: 1, refused: [] })
    expect(await replica.merge([second])).to.deep.equal({ merged: 1, refused: [] })
    expect(live).to.deep.equal([
      { entry: first, before: undefined },
      { entry: second, before: first },
    ])
    expect(onDisk).to.deep.equal([true, true])
    expect(textOf('x')).to.equal('two')
    expect(live[1]?.entry.document).to.equal(replica.get('api_spec', 'x')?.document)
    expect(told).to.deep.equal([]) // it is not a change of this node
  })

  it('calls what comes again no change', async () => {
    const { replica, store, live } = await nodeOf('a')
    const entry = version('x', stampAt(1))
    await replica.merge([entry])
    store.before = (method) => expect.fail(`${method} was called`)
    expect(await replica.merge([structuredClone(entry)])).to.deep.equal({ merged: 0, refused: [] })
    expect(live).to.have.length(1)
    expect(replica.get('api_spec', 'x')).to.equal(entry)
  })

  it('keeps what is older in the history only', async () => {
    const { replica, store, live, textOf } = await nodeOf('a')
    await replica.merge([version('x', stampAt(2), 'newer')])
    const late = version('x', stampAt(1), 'older')
    expect(await replica.merge([late])).to.deep.equal({ merged: 0, refused: [] })
    expect(textOf('x')).to.equal('newer')
    expect(live).to.have.length(1)
    expect(store.rows.get('api_spec x')?.document).to.deep.equal(document('x', 'newer'))
    const texts = (await replica.versions('api_spec', 'x')).map(({ document }) => document?.text)
    expect(texts).to.deep.equal(['newer', 'older'])
  })

  it('tells the watcher once of several versions of one document', async () => {
    const { replica, live } = await nodeOf('a')
    const versions = [2, 3, 1].map((ms) => version('x', stampAt(ms), `at ${ms}`))
    expect(await replica.merge(versions)).to.deep.equal({ merged: 1, refused: [] })
    expect(live).to.deep.equal([{ entry: versions[1], before: undefined }])
  })

  it('lets the first document of two made with one stamp lose against the greater hash', async () => {
    const [one, other] = [version('x', stampAt(1), 'one'), version('x', stampAt(1), 'other')]
    const winners = await Promise.all(
      [
        [one, other],
        [other, one],
      ].map(async (order) => {
        const { replica } = await nodeOf('a')
        for (const entry of order) await replica.merge([entry])
        return replica.get('api_spec', 'x')?.hash
      }),
    )
    const greater = [one.hash ?? '', other.hash ?? ''].sort()[1]
    expect(winners).to.deep.equal([greater, greater])
  })

  it('makes realms live before the API Specifications that name them', async () => {
    const { replica } = await nodeOf('a')
    const seen: string[] = []
    replica.watch('api_spec', () => void seen.push('api_spec'))
    replica.watch('realm', async () => {
      await idle()
      seen.push('realm')
    })
    const realm = version('x', stampAt(2), 'realm', { kind: 'realm' })
    expect((await replica.merge([version('x', stampAt(1)), realm])).merged).to.equal(2)
    expect(seen).to.deep.equal(['realm', 'api_spec'])
  })

  it('comes to the same whether a change of this node is before or after it', async () => {
    const orders = [
      ['change', 'merge'],
      ['merge', 'change'],
    ]
    for (const order of orders) {
      for (const ms of [-5_000, 5_000]) {
        const { replica, load, textOf } = await nodeOf('a')
        const sent = version('x', stampAt(ms), 'sent')
        const run = { change: () => load('x', 'loaded'), merge: () => replica.merge([sent]) }
        await Promise.all(order.map((name) => run[name as keyof typeof run]()))
        // the load has seen what was sent before it, and is later than it by that
        const isAfter = order[0] === 'merge'
        expect(textOf('x'), `${order} ${ms}`).to.equal(isAfter || ms < 0 ? 'loaded' : 'sent')
      }
    }
  })

  it('waits for the change under way', async () => {
    const { replica, textOf } = await nodeOf('a')
    const gate = Promise.withResolvers<void>()
    const changed = replica.change('api_spec', async () => {
      await gate.promise
      return [{ id: 'x', document: document('x', 'loaded') }]
    })
    const merged = replica.merge([version('x', stampAt(1), 'sent')])
    await idle()
    expect(textOf('x')).to.equal(undefined)
    gate.resolve()
    await Promise.all([changed, merged])
    expect(textOf('x')).to.equal('sent')
  })
})

describe('what Replica.merge refuses', () => {
  /** What is said of an entry; nothing may have moved by it. */
  async function refusal(entry: Entry): Promise<string | undefined> {
    const { replica, clock, store, live, load } = await nodeOf('a')
    const digest = replica.digest()
    const { merged, refused } = await replica.merge([entry])
    if (refused.length === 0) return undefined
    expect([merged, refused[0]?.entry]).to.deep.equal([0, entry])
    expect([replica.digest(), store.rows.size, live.length]).to.deep.equal([digest, 0, 0])
    const [change] = await load('own')
    expect(change?.entry.stamp).to.deep.equal({ ms: clock.ms, counter: 0, node: 'a' })
    return refused[0]?.reason
  }

  it('is a stamp more than 60 s ahead of the clock', async () => {
    expect(await refusal(version('x', stampAt(60_000)))).to.equal(undefined)
    expect(await refusal(version('x', stampAt(60_001)))).to.equal(
      'the stamp is 60001 ms ahead of the clock of this node, at most 60000 ms are allowed',
    )
  })

  it('is a stamp that is none', async () => {
    for (const broken of [
      { ms: Number.NaN },
      { ms: 1.5 },
      { ms: -1 },
      { counter: -1 },
      { counter: 2 ** 31 },
      { counter: Number.NaN },
    ]) {
      const stamp = { ...stampAt(0), ...broken }
      expect(await refusal(version('x', stamp))).to.equal('the stamp of the entry is malformed')
      const parented = version('x', stampAt(0), 'one', { parent: stamp })
      expect(await refusal(parented)).to.equal('the stamp of the entry is malformed')
    }
  })

  it('is a hash that is not that of the document', async () => {
    const entry = version('x', stampAt(0))
    const gone = version('x', stampAt(0), null)
    const wrong = 'the hash does not match the document'
    expect(await refusal({ ...entry, document: document('x', 'forged') })).to.equal(wrong)
    expect(await refusal({ ...entry, hash: null })).to.equal(wrong)
    expect(await refusal({ ...entry, document: null })).to.equal(wrong)
    expect(await refusal({ ...gone, hash: entry.hash })).to.equal(wrong)
    expect(await refusal(gone)).to.equal(undefined)
  })

  it('is a document that cannot be encoded', async () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    expect(await refusal({ ...version('x', stampAt(0)), document: loop })).to.equal(
      'the hash does not match the document',
    )
  })

  it('is a kind from another age', async () => {
    const entry = { ...version('x', stampAt(0)), kind: 'key' as 'realm' }
    expect(await refusal(entry)).to.equal('the kind of the entry is unknown')
  })

  it('never holds up what came with it', async () => {
    const { replica, textOf } = await nodeOf('a')
    const future = version('x', stampAt(3_600_000))
    const { merged, refused } = await replica.merge([future, version('y', stampAt(0))])
    expect([merged, refused.map(({ entry }) => entry.id)]).to.deep.equal([1, ['x']])
    expect([textOf('x'), textOf('y')]).to.deep.equal([undefined, 'one'])
  })
})

describe('Replica.merge while the store is away', () => {
  it('takes nothing: what serves is on the disk', async () => {
    const { replica, store, live, lost, load, textOf } = await nodeOf('a')
    await load('x', 'loaded')
    const entries = [version('x', stampAt(1)), version('y', stampAt(1))]
    const digest = replica.digest()
    store.isAway = true
    expect(await failure(replica.merge(entries))).to.have.property(
      'uri',
      'service.error.unavailable',
    )
    expect([replica.digest(), textOf('x'), textOf('y')]).to.deep.equal([
      digest,
      'loaded',
      undefined,
    ])
    expect([live.length, lost]).to.deep.equal([1, []])
    store.isAway = false
    expect(await replica.merge(entries)).to.deep.equal({ merged: 2, refused: [] })
    expect([textOf('x'), textOf('y'), lost.length]).to.deep.equal(['one', 'one', 1])
  })
})

describe('the stamps of Replica', () => {
  it('are greater than everything that was merged', async () => {
    const { replica, load } = await nodeOf('a')
    await replica.merge([version('x', stampAt(60_000, 'z', 7))])
    const [change] = await load('y')
    expect(change?.entry.stamp).to.deep.equal({ ms: start + 60_000, counter: 8, node: 'a' })
  })

  it('are greater than those before a restart, with a clock that was set back', async () => {
    for (const text of ['one', null]) {
      const first = await nodeOf('a')
      await first.load('x', 'zero')
      const [last] = await first.load('x', text)
      first.clock.ms -= 3_600_000
      const second = await nodeOf('a', first)
      const [change] = await second.load('y')
      expect(second.textOf('x')).to.equal(text ?? undefined)
      expect(last && change && compareStamps(change.entry.stamp, last.entry.stamp)).to.be.above(0)
      const [again] = await second.load('x', 'two')
      expect(again?.entry.parent).to.deep.equal(last?.entry.stamp)
    }
  })

  it('are believed when they come from the own store, however far ahead they are', async () => {
    const { store } = await nodeOf('a')
    const ahead = version('x', stampAt(3_600_000, 'a', 3))
    await store.merge([ahead])
    const { replica, load, textOf } = await nodeOf('a', { store })
    expect(replica.get('api_spec', 'x')).to.deep.equal(ahead)
    const [change] = await load('x', 'two')
    expect(change?.entry.stamp).to.deep.equal(stampAt(3_600_000, 'a', 4))
    expect(textOf('x')).to.equal('two')
  })

  it('are unknown without the store: it does not start', async () => {
    const { store } = await nodeOf('a')
    store.isAway = true
    expect(await failure(nodeOf('a', { store }))).to.have.property(
      'uri',
      'service.error.unavailable',
    )
  })
})
