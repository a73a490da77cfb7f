/** The realm of an address at which nothing is served: of the host, else of all that begin like the path. */
import { expect } from 'chai'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'

const entry = (realm_uri: string, host: string, pattern: string): RouteEntry<object> => ({
  ...{ api: `${realm_uri} ${host}`, realm_uri, host, pattern, path: pattern },
  routes: { get: {} },
})

const { table } = RoutingTable.build([
  entry('shop', 'shop.example', '/[v1]/orders'),
  entry('shop', 'shop.example', '/v2/orders/:id'),
  entry('crm', '_', '/crm/customers'),
  entry('bank', '_', '/bank/accounts'),
  entry('bank', '_', '/both/a'),
  entry('crm', '_', '/both/b'),
  entry('wide', ':_.wide.example', '/a'),
  entry('wide', 'www.wide.example', '/:name/a'),
  entry('other', 'www.wide.example', '/own'),
  entry('other', 'www.wide.example', '/wide'),
])

describe('the realm of an address at which nothing is served', () => {
  for (const [host, path, realm] of [
    ['shop.example', '/', 'shop'],
    ['SHOP.example.', '/whatever/it/is', 'shop'],
    ['any.example', '/crm', 'crm'],
    ['any.example', '/crm/nothing', 'crm'],
    ['any.example', '/bank/', 'bank'],
    ['any.example', '/both/c', undefined],
    ['any.example', '/', undefined],
    ['any.example', '/crmx', undefined],
    ['a.wide.example', '/x', 'wide'],
    // /:name may be any first segment
    ['www.wide.example', '/own/x', undefined],
    ['www.wide.example', '/x', undefined],
  ] as const) {
    it(`is ${realm ?? 'not known'} for ${host}${path}`, () => {
      expect(table.realmOf(host, path)).to.equal(realm)
    })
  }

  it('is that of the table: one that is replaced tells another one', () => {
    const { table: alone } = RoutingTable.build([entry('bank', '_', '/bank/accounts')])
    expect(alone.realmOf('any.example', '/')).to.equal('bank')
    expect(RoutingTable.build([]).table.realmOf('any.example', '/')).to.equal(undefined)
  })
})
