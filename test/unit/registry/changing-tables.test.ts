/** A table that is changed document by document is the table that all of them together give. */
import { expect } from 'chai'
import fc from 'fast-check'
import { type Known, reselect, type Selection, select } from '#component/registry/selection.ts'
import { HostTree } from '#component/routes/host-tree.ts'
import { type Found, PathTree } from '#component/routes/path-tree.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { changeBetween } from '#component/routes/table-change.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import { runAtOnce } from '#component/yielding.ts'
import { rounds } from '#test/support/running/rounds.ts'

type Entry = RouteEntry<string>
/** A document: its host, its path patterns, and whether they are shared. */
interface Plan {
  readonly host: string
  readonly patterns: readonly string[]
  readonly isShared: boolean
}

const hosts = ['_', 'a.com', 'b.a.com', '[b.]a.com', ':_.com', 'c.org'] as const
const patterns = ['/a', '/b', '/a/:x', '/a/b', '/[a/]b', '/:y/c', '/a/[...]', '/d'] as const

const plan: fc.Arbitrary<Plan> = fc.record({
  host: fc.constantFrom(...hosts),
  patterns: fc.uniqueArray(fc.constantFrom(...patterns), { minLength: 1, maxLength: 3 }),
  isShared: fc.boolean(),
})
/** A document is loaded, or deleted. */
const change = fc.record({
  id: fc.constantFrom('d1', 'd2', 'd3', 'd4', 'd5'),
  plan: fc.option(plan, { nil: undefined }),
})

const entriesOf = (id: string, { host, patterns, isShared }: Plan): readonly Entry[] =>
  patterns.map((pattern) => ({
    ...{ api: id, realm_uri: 'r', host, pattern, path: `${id} ${pattern}` },
    routes: { get: `${id} ${pattern}` },
    ...(isShared && { isShared, purpose: 'p' }),
  }))

const knownOf = (id: string, ms: number, entries: readonly Entry[]): Known<string> => {
  const stamp = { ms, counter: 0, node: 'n' }
  const entry = { kind: 'api_spec', id, stamp, parent: null, hash: 'h', document: {} } as const
  return { entry, good: { stamp, hash: 'h', api: { id, features: [], entries } } }
}

const asked = ['a.com', 'b.a.com', 'x.com', 'c.org', 'other'].flatMap((host) =>
  ['/a', '/b', '/a/7', '/a/b', '/a/b/c', '/7/c', '/d', '/'].map((path) => ({ host, path })),
)

/** What a selection serves, and what it leaves out. */
const seen = ({ table, losses }: Pick<Selection<string>, 'table' | 'losses'>) => ({
  answers: asked.map(({ host, path }) => {
    const found = table.match(host, path, 'get')
    return found?.kind === 'match' ? [found.route, { ...found.bindings }] : null
  }),
  apis: Array.from(table.apis, ([first]) => first?.api).sort(),
  lost: Array.from(losses, ([id, { other, path }]) => [id, other, path]).sort(),
})

describe('a table that is changed document by document', () => {
  it('is that of all documents, and leaves those before it as they were', () => {
    let replaced = 0
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (changes) => {
        const known = new Map<string, Known<string>>()
        const empty = RoutingTable.build<string>([]).table
        const lostEntries = (lost: string) => known.get(lost)?.good?.api.entries ?? []
        let now: Selection<string> = { table: empty, losses: new Map(), clashes: [] }
        changes.forEach(({ id, plan }, ms) => {
          const entries = plan ? entriesOf(id, plan) : []
          if (plan) known.set(id, knownOf(id, ms, entries))
          else known.delete(id)
          const before = seen(now)
          const quick = runAtOnce(reselect(now, id, entries, lostEntries))
          const whole = runAtOnce(select(known.values()))
          expect(seen(now)).to.deep.equal(before)
          if (quick) {
            replaced += 1
            expect(seen(quick)).to.deep.equal(seen(whole))
            expect(quick.touched).to.deep.equal([...(now.touched ?? []), id])
            const change = changeBetween(now.table, quick.table)
            expect(changeBetween(now.table, quick.table, [id])).to.deep.equal(change)
            expect(
              [...change.added, ...change.removed].every(([first]) => first?.api === id),
            ).to.equal(true)
          }
          now = quick ?? { ...whole, touched: [] }
        })
      }),
      { numRuns: rounds(300, 10_000) },
    )
    expect(replaced).to.be.greaterThan(300)
  })
})

describe('a fork of a tree', () => {
  it('of paths shares what it does not change, and keeps nothing of what is removed', () => {
    const tree = new PathTree<string>()
    const formsOf = (pattern: string) => {
      const parsed = parsePathPattern(pattern)
      if ('problem' in parsed) throw new TypeError(parsed.problem)
      return parsed.forms
    }
    for (const pattern of patterns) for (const form of formsOf(pattern)) tree.add(form, pattern)
    const fork = tree.fork()
    for (const pattern of patterns) for (const form of formsOf(pattern)) fork.remove(form, pattern)
    expect(fork.isEmpty).to.equal(true)
    expect(tree.find('/a/b')?.value).to.equal('/a/b')
    const one = tree.fork()
    for (const form of formsOf('/d')) one.remove(form, '/d')
    expect(one.root.literals.get('a')).to.equal(tree.root.literals.get('a'))
    expect(one.find('/d')).to.equal(undefined)
  })

  it('of hosts makes anew what was pruned, and only that', () => {
    const hostOf = (text: string) => {
      const parsed = parseHostPattern(text)
      if ('problem' in parsed) throw new TypeError(parsed.problem)
      return parsed
    }
    const tree = new HostTree<Found<string>, PathTree<string>>()
    const make = () => new PathTree<string>()
    const place = (of: typeof tree, host: string) => of.place(hostOf(host), make)[0]?.value
    place(tree, 'a.com')?.add([{ kind: 'literal', text: 'x' }], 'kept')
    const fork = tree.fork()
    place(fork, 'b.com')?.add([{ kind: 'literal', text: 'x' }], 'added')
    place(fork, '_')
    for (const host of ['a.com', 'b.com', '_', 'never.seen']) fork.prune(hostOf(host))
    expect(fork.find('a.com', '/x')?.value).to.equal('kept')
    expect(fork.find('b.com', '/x')?.value).to.equal('added')
    expect(tree.find('b.com', '/x')).to.equal(undefined)
    place(fork, 'b.com')?.remove([{ kind: 'literal', text: 'x' }], 'added')
    const emptied = place(fork, 'b.com')
    fork.prune(hostOf('b.com'))
    expect(place(fork, 'b.com')).to.not.equal(emptied)
  })
})
