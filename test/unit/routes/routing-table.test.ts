/** The routing table: methods, hosts, clashes, shared paths. */
import { expect } from 'chai'
import type { Method } from '#component/request.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { runAtOnce } from '#component/yielding.ts'

/** An entry whose routes are named `METHOD pattern`. */
function entry(
  pattern: string,
  methods: readonly Method[] = ['get'],
  more: Partial<RouteEntry<string>> = {},
): RouteEntry<string> {
  const routes = Object.fromEntries(methods.map((method) => [method, `${method} ${pattern}`]))
  return { api: 'a', realm_uri: 'r', host: '_', pattern, path: `/p${pattern}`, routes, ...more }
}

const clashesOf = (...entries: RouteEntry<string>[]) => RoutingTable.build(entries).clashes

describe('routing table', () => {
  const { table } = RoutingTable.build([
    entry('/v1/things', ['get', 'post']),
    entry('/v1/things/:id', ['delete']),
    entry('/v1/things/new', ['put', 'options', 'head']),
    entry('/v1/things', ['put'], { host: 'b.com' }),
  ])

  it('gives route, entry and bindings', () => {
    expect(table.match('a.com', '/v1/things/7/', 'delete')).to.deep.include({
      kind: 'match',
      route: 'delete /v1/things/:id',
      entry: table.entries[1],
    })
  })

  it('serves HEAD by the route of GET', () => {
    expect(table.match('a.com', '/v1/things', 'head')).to.have.property('route', 'get /v1/things')
  })

  it('serves HEAD by its own route when there is one', () => {
    expect(table.match('a.com', '/v1/things/new', 'head')).to.have.property(
      'route',
      'head /v1/things/new',
    )
  })

  for (const [path, method, kind] of [
    ['/v1/things', 'delete', 'method'],
    ['/v1/things', 'options', 'options'],
    ['/v1/things/7', 'head', 'method'],
    ['/v1/things/new', 'delete', 'method'],
  ] as const) {
    it(`misses ${method} of ${path}`, () => {
      expect(table.match('a.com', path, method)).to.include({ kind })
    })
  }

  it('serves a declared OPTIONS', () => {
    expect(table.match('a.com', '/v1/things/new', 'options')).to.have.property('kind', 'match')
  })

  it('does not ask another host for a method', () => {
    expect(table.match('b.com', '/v1/things', 'get')).to.have.property('kind', 'method')
    expect(table.match('b.com', '/v1/things/7', 'delete')).to.have.property('kind', 'match')
  })

  for (const path of ['/v1', '/v1//things', '/v2/things', '*', '']) {
    it(`has nothing for "${path}"`, () => {
      expect(table.match('a.com', path, 'get')).to.equal(undefined)
    })
  }
})

describe('clashes of routes', () => {
  for (const [one, other] of [
    [entry('/a/:x'), entry('/a/:y')],
    [entry('/a'), entry('/a/')],
    [entry('/[v1]/a'), entry('/a')],
    [entry('/[v1]/a'), entry('/[v2]/a')],
    [entry('/[:x]/a'), entry('/:_/a')],
    [entry('/a/[...]'), entry('/[a]/[...]')],
    [entry('/caf%C3%A9'), entry('/café')],
    [entry('/a', ['get']), entry('/a', ['post'])],
    [entry('/a', ['get'], { host: 'A.com.' }), entry('/a', ['get'], { host: '[www.]a.com' })],
    [entry('/a', ['get'], { host: 'a.:_' }), entry('/a', ['get'], { host: 'a.:b' })],
    [entry('/a', ['get'], { isShared: true }), entry('/a')],
    [
      entry('/a', ['get'], { isShared: true }),
      entry('/a', ['get'], { isShared: true, realm_uri: 'other' }),
    ],
    [
      entry('/a', ['get'], { isShared: true, purpose: 'one' }),
      entry('/a', ['get'], { isShared: true, purpose: 'other' }),
    ],
  ] as const) {
    it(`${one.host} ${one.pattern} clashes with ${other.host} ${other.pattern}`, () => {
      const later = { ...other, api: 'b', path: '/later' }
      expect(clashesOf(one, later)).to.deep.equal([
        {
          api: 'b',
          path: '/later',
          pattern: other.pattern,
          otherApi: 'a',
          otherPath: one.path,
          otherPattern: one.pattern,
        },
      ])
    })
  }

  for (const [one, other] of [
    [entry('/a/:x'), entry('/a/b')],
    [entry('/a/:x'), entry('/a/[...]')],
    [entry('/a'), entry('/A')],
    [entry('/:a'), entry('/%3Aa')],
    [entry('/a', ['get'], { host: 'a.com' }), entry('/a', ['get'], { host: 'www.a.com' })],
    [entry('/a', ['get'], { host: '_' }), entry('/a', ['get'], { host: ':_' })],
    [entry('/a', ['get'], { isShared: true }), entry('/a', ['get'], { isShared: true })],
    [entry('/a', ['get'], { host: 'a b' }), entry('/a', ['get'], { host: 'b c' })],
    [entry('?/a'), entry('?/a')],
  ] as const) {
    it(`${one.host} ${one.pattern} lives beside ${other.host} ${other.pattern}`, () => {
      expect(clashesOf(one, other)).to.deep.equal([])
    })
  }

  it('names each rival once, however many forms they have in common', () => {
    expect(clashesOf(entry('/[a]/[b]/c'), entry('/[a]/[b]/c'), entry('/x'))).to.have.length(1)
  })

  it('finds the clashes of a document whose host is broken, and routes none of it', () => {
    const broken = { host: 'a b' }
    const { table, clashes } = RoutingTable.build([
      entry('/a', ['get'], broken),
      entry('/a/', ['get'], broken),
    ])
    expect(clashes).to.have.length(1)
    expect(table.match('a b', '/a', 'get')).to.equal(undefined)
  })

  it('lets the first of shared paths serve', () => {
    const shared = { isShared: true }
    const { table } = RoutingTable.build([
      entry('/t', ['post'], { ...shared, api: 'one' }),
      entry('/t', ['post'], { ...shared, api: 'two' }),
    ])
    expect(table.match('x', '/t', 'post')).to.have.nested.property('entry.api', 'one')
  })

  it('leaves out a whole document that clashes with one before it, and lets others have its routes', () => {
    const shared = { isShared: true }
    const of = (api: string, ...entries: ReturnType<typeof entry>[]) =>
      entries.map((one) => ({ ...one, api }))
    const { table, clashes } = runAtOnce(
      RoutingTable.buildingWhole([
        of('a', entry('/1'), entry('/2'), entry('/t', ['get'], shared)),
        of('b', entry('/2'), entry('/3')),
        of('c', entry('/3'), entry('/t', ['get'], shared)),
        of('d', entry('/4'), entry('/t', ['get'], { ...shared, realm_uri: 'other' })),
      ]),
    )
    const owners = ['/1', '/2', '/3', '/4', '/t'].map(
      (path) => table.match('x', path, 'get')?.entry.api,
    )
    expect(owners).to.deep.equal(['a', 'a', 'c', undefined, 'a'])
    expect(clashes.map(({ api, otherApi }) => [api, otherApi])).to.deep.equal([
      ['b', 'a'],
      ['d', 'a'],
    ])
    expect(table.entries.map(({ api }) => api)).to.deep.equal(['a', 'a', 'a', 'c', 'c'])
  })
})
