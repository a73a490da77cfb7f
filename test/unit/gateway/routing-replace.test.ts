/** A routing table made of another one: it is the one that building from everything makes, and the other stays as it is. */
import { expect } from 'chai'
import fc from 'fast-check'
import { type RouteEntry, RoutingTable } from '#component/gateway/routing-table.ts'
import { runAtOnce } from '#component/spec/steps.ts'

const entry = (
  api: string,
  pattern: string,
  more: Partial<RouteEntry<string>> = {},
): RouteEntry<string> => ({
  api,
  realm_uri: 'r',
  host: '_',
  pattern,
  path: `/${api}${pattern}`,
  routes: { get: `${api} ${pattern}` },
  ...more,
})

const empty = RoutingTable.build<string>([]).table
const replaced = (
  table: RoutingTable<string>,
  api: string,
  ...entries: readonly RouteEntry<string>[]
) => runAtOnce(table.replace(api, entries))

const hosts = ['a.com', 'b.a.com', '[www.]a.com', ':_.com', '_']
const segments = ['x', 'y', ':b', '[x]', '[...]']
const asked = ['a.com', 'b.a.com', 'www.a.com', 'c.com', 'd.org'].flatMap((host) =>
  ['/', '/x', '/x/y', '/y/x', '/x/x/x', '/z'].map((path) => [host, path] as const),
)

/** What a table answers. */
const answers = (table: RoutingTable<string>) =>
  asked.map(([host, path]) => {
    const found = table.match(host, path, 'get')
    return found?.kind === 'match' ? [found.route, { ...found.bindings }] : undefined
  })

/** One API's routes, none of which has the form of another API's: their first segment is its own. */
const routes = (api: string) =>
  fc
    .array(
      fc.tuple(fc.constantFrom(...hosts), fc.array(fc.constantFrom(...segments), { maxLength: 2 })),
      { maxLength: 4 },
    )
    .map((list) =>
      list.map(([host, parts]) => entry(api, `/${[api, ...parts].join('/')}`, { host })),
    )

describe('a routing table with other entries of an API', () => {
  it('is the one that is built of all entries, after any number of changes', () => {
    const apis = ['x', 'y', 'z']
    const change = fc.constantFrom(...apis).chain((api) => fc.tuple(fc.constant(api), routes(api)))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const served = new Map<string, readonly RouteEntry<string>[]>()
        let table = empty
        for (const [api, entries] of changes) {
          const before = answers(table)
          const next = replaced(table, api, ...entries)
          expect(answers(table), 'the table before').to.deep.equal(before)
          served.delete(api)
          served.set(api, entries)
          const built = RoutingTable.build([...served.values()].flat())
          expect(answers(next.table)).to.deep.equal(answers(built.table))
          expect(String(next.table)).to.equal(String(built.table))
          table = next.table
        }
      }),
    )
  })

  it('leaves nothing of what has been replaced', () => {
    const { table } = replaced(
      empty,
      'a',
      entry('a', '/x/:id', { host: 'a.com' }),
      entry('a', '/y'),
    )
    const { table: less } = replaced(table, 'a')
    expect(answers(less)).to.deep.equal(answers(empty))
    expect(less.entries).to.deep.equal([])
    expect(table.match('a.com', '/x/1', 'get')).to.have.property('kind', 'match')
  })

  it('tells the clashes with what stays, not with what goes', () => {
    const { table } = replaced(empty, 'a', entry('a', '/x/:id'))
    expect(replaced(table, 'a', entry('a', '/x/:name')).clashes).to.deep.equal([])
    const { clashes, table: clashing } = replaced(table, 'b', entry('b', '/x/:name'))
    expect(clashes).to.deep.equal([
      { api: 'b', path: '/b/x/:name', otherApi: 'a', otherPath: '/a/x/:id', pattern: '/x/:name' },
    ])
    expect(clashing.match('h', '/x/1', 'get')).to.have.nested.property('entry.api', 'a')
  })

  it('lets the next owner of a shared path serve when the first one goes', () => {
    const shared = { isShared: true }
    const one = replaced(empty, 'one', entry('one', '/t', shared)).table
    const two = replaced(one, 'two', entry('two', '/t', shared)).table
    expect(two.match('h', '/t', 'get')).to.have.nested.property('entry.api', 'one')
    const left = replaced(two, 'one').table
    expect(left.match('h', '/t', 'get')).to.have.nested.property('entry.api', 'two')
  })

  it('is made in one step for each entry', () => {
    const entries = Array.from({ length: 100 }, (_, at) => entry('a', `/p${at}`))
    const { table } = replaced(empty, 'a', ...entries)
    expect([...table.replace('b', [entry('b', '/b')])]).to.have.length(1)
    expect([...table.replace('a', entries)]).to.have.length(200)
  })
})
