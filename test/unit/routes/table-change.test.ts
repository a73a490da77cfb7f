/** What changes between two tables, and what is found in the APIs of a table that changes. */
import { expect } from 'chai'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { changeBetween, FoundInApis } from '#component/routes/table-change.ts'
import { runAtOnce } from '#component/yielding.ts'

type Entry = RouteEntry<string>

const api = (id: string, ...patterns: string[]): readonly Entry[] =>
  patterns.map((pattern) => ({
    ...{ api: id, realm_uri: 'r', host: '_', pattern, path: pattern },
    routes: { get: `${id} ${pattern}` },
  }))

const tableOf = (...apis: (readonly Entry[])[]) =>
  runAtOnce(RoutingTable.buildingWhole<string>(apis)).table

describe('the change between two tables', () => {
  const [kept, before, after, added, removed] = [
    api('kept', '/k'),
    api('changed', '/c'),
    api('changed', '/c', '/d'),
    api('added', '/a'),
    api('removed', '/r'),
  ]
  const one = tableOf(kept, before, removed)
  const other = tableOf(kept, after, added)

  it('has the APIs that one of them has alone, and those that differ on both sides', () => {
    const change = changeBetween(one, other)
    expect(change.added).to.have.members([after, added])
    expect(change.removed).to.have.members([before, removed])
  })

  it('is looked for among the given ids alone', () => {
    expect(changeBetween(one, other, ['kept', 'added'])).to.deep.equal({
      added: [added],
      removed: [],
    })
  })

  it('is none between a table and itself', () => {
    expect(changeBetween(one, one)).to.deep.equal({ added: [], removed: [] })
  })
})

describe('what is found in APIs', () => {
  it('follows the table, and tells whether it has changed', () => {
    const found = new FoundInApis((entries: readonly Entry[]) =>
      entries.map(({ pattern }) => pattern).filter((pattern) => pattern.startsWith('/x')),
    )
    const [with_, without] = [api('a', '/x1', '/y', '/x2'), api('b', '/y')]
    expect(found.follow({ added: [with_, without], removed: [] })).to.equal(true)
    expect(found.all).to.deep.equal(['/x1', '/x2'])
    expect(found.follow({ added: [api('c', '/z')], removed: [without] })).to.equal(false)
    expect(found.follow({ added: [], removed: [with_] })).to.equal(true)
    expect(found.all).to.deep.equal([])
  })
})
