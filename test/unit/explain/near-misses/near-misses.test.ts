/** Near misses: the routes that a request comes near to, nearest first, and why none of them answers it. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { type NearMiss, nearMisses } from '#component/explain/near-misses/near-misses.ts'
import { unservedRoutes } from '#component/explain/near-misses/unserved.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Conflict } from '#component/registry/live-documents.ts'
import type { Method } from '#component/request.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { runAtOnce } from '#component/yielding.ts'

const operation = {
  action: { type: 'static', body: '' },
  response: { on_result: {}, on_error: {} },
}

/** A document with one operation for each "METHOD /pattern". */
function documentOf(id: string, routes: readonly string[], more: JsonMap = {}): JsonMap {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const [method = '', pattern = ''] = route.split(' ')
    paths[pattern] = { ...paths[pattern], [method.toLowerCase()]: operation }
  }
  const { host = '_', realm_uri = 'com.example', ...version } = more
  return { id, host, realm_uri, versions: { '1.0': { base_path: '/', ...version, paths } } }
}

interface Setting {
  readonly documents: readonly JsonMap[]
  readonly unserved?: readonly JsonMap[]
  readonly conflicts?: readonly Conflict[]
  /** The only realm whose documents may be seen. */
  readonly within?: string
}

/** @param request "METHOD host /path" */
function missesOf(
  request: string,
  { documents, unserved = [], conflicts = [], within }: Setting,
): NearMiss[] {
  const [method = '', host = '', path = ''] = request.split(' ')
  const apis = documents.map((document) => {
    const { api, issues } = compileDocument(document, { callTimeout: 5000 })
    expect(issues).to.deep.equal([])
    return { api }
  })
  const { table } = RoutingTable.build<Route>(apis.flatMap(({ api }) => api?.entries ?? []))
  const asked = { method: method.toLowerCase() as Method, host, path }
  const found = table.match(asked.host, asked.path, asked.method)
  const isVisible = (realm_uri: string) => within === undefined || within === realm_uri
  const routes = runAtOnce(unservedRoutes([...documents, ...unserved], conflicts, (id) => id))
  const around = { entries: table.entries, unserved: routes, isVisible }
  return runAtOnce(nearMisses(asked, found, around))
}

const orders = documentOf('orders', ['GET /orders', 'GET /orders/:id', 'GET /orders/new'])

const cases: readonly (readonly [
  fact: string,
  request: string,
  setting: Setting,
  misses: readonly (readonly [id: string | null, pattern: string | undefined, why: string])[],
])[] = [
  [
    'a path that does not serve the method',
    'POST a.com /orders/7/lines',
    { documents: [documentOf('lines', ['GET /orders/:id/lines', 'PUT /orders/:id/lines'])] },
    [['lines', '/orders/:id/lines', 'the path serves GET and PUT, the request is POST']],
  ],
  [
    'a route that is chosen before one that matches, too',
    'GET a.com /orders/new',
    { documents: [orders] },
    [
      ['orders', '/orders/:id', 'it matches, too, but /orders/new is more specific'],
      ['orders', '/orders', 'the pattern ends before segment 2 of the request, "new"'],
    ],
  ],
  [
    'a literal segment in place of the binding that matches',
    'GET a.com /orders/7',
    { documents: [documentOf('orders', ['GET /orders/:id', 'GET /orders/new'])] },
    [['orders', '/orders/new', 'segment 2 is "new", the request has "7"']],
  ],
  [
    'text beside a binding that the request lacks',
    'GET a.com /accounts/7.xml',
    {
      documents: [
        documentOf('accounts', [
          'GET /accounts/{id}.json',
          'GET /accounts/x{id}',
          'GET /accounts/{a}-{b}.xml',
          'GET /accounts/7.xml{id}',
        ]),
      ],
    },
    [
      [
        'accounts',
        '/accounts/{id}.json',
        'segment 2 is "{id}.json", the request has "7.xml": the segment does not end in ".json"',
      ],
      [
        'accounts',
        '/accounts/x{id}',
        'segment 2 is "x{id}", the request has "7.xml": the segment does not begin with "x"',
      ],
      [
        'accounts',
        '/accounts/{a}-{b}.xml',
        'segment 2 is "{a}-{b}.xml", the request has "7.xml": the segment has no "-" between',
      ],
      [
        'accounts',
        '/accounts/7.xml{id}',
        'segment 2 is "7.xml{id}", the request has "7.xml": a binding would be empty',
      ],
    ],
  ],
  [
    'text beside a binding that matches before another',
    'GET a.com /accounts/7.json',
    { documents: [documentOf('accounts', ['GET /accounts/{id}.json', 'GET /accounts/:id'])] },
    [['accounts', '/accounts/:id', 'it matches, too, but /accounts/{id}.json is more specific']],
  ],
  [
    'a misspelt segment',
    'GET a.com /oders/7',
    { documents: [documentOf('orders', ['GET /orders/:id', 'GET /users/:id'])] },
    [['orders', '/orders/:id', 'segment 1 is "orders", the request has "oders"']],
  ],
  [
    'segments that the request lacks or has in addition, the nearest first',
    'GET a.com /shop/orders/7',
    {
      documents: [documentOf('shop', ['GET /shop', 'GET /shop/orders', 'GET /shop/orders/:id/x'])],
    },
    [
      ['shop', '/shop/orders', 'the pattern ends before segment 3 of the request, "7"'],
      ['shop', '/shop/orders/:id/x', 'the request ends before segment 4, "x"'],
      ['shop', '/shop', 'the pattern ends before segment 2 of the request, "orders"'],
    ],
  ],
  [
    'the nearest form of a pattern with optional segments',
    'GET a.com /v1/order',
    { documents: [documentOf('orders', ['GET /[v1]/orders'])] },
    [['orders', '/[v1]/orders', 'segment 2 is "orders", the request has "order"']],
  ],
  [
    'letter case',
    'GET a.com /Orders/new',
    { documents: [documentOf('orders', ['GET /orders/new'])] },
    [
      [
        'orders',
        '/orders/new',
        'segment 1 is "orders", the request has "Orders": letter case counts',
      ],
    ],
  ],
  [
    'an escape that is escaped again',
    'GET a.com /two%2520words',
    { documents: [documentOf('words', ['GET /two%20words'])] },
    [
      [
        'words',
        '/two%20words',
        'segment 1 is "two words", the request has "two%2520words": the request has its percent-encoding twice',
      ],
    ],
  ],
  [
    'two normalizations of Unicode',
    'GET a.com /cafe%CC%81',
    { documents: [documentOf('words', ['GET /café'])] },
    [
      [
        'words',
        '/café',
        'segment 1 is "café", the request has "cafe%CC%81": they differ in their Unicode normalization',
      ],
    ],
  ],
  [
    'an empty segment',
    'GET a.com /orders//new',
    { documents: [documentOf('orders', ['GET /orders/new'])] },
    [['orders', '/orders/new', 'the request has an empty segment, "//", which no pattern matches']],
  ],
  [
    'two slashes at the end',
    'GET a.com /orders//',
    { documents: [documentOf('orders', ['GET /orders'])] },
    [['orders', '/orders', 'the request has an empty segment, "//", which no pattern matches']],
  ],
  [
    'another host',
    'GET a.com /orders',
    { documents: [documentOf('orders', ['GET /orders'], { host: 'b.com' })] },
    [['orders', '/orders', 'the host is "b.com", the request has "a.com"']],
  ],
  [
    'a more specific host without the path',
    'GET a.com /orders',
    {
      documents: [
        documentOf('any', ['GET /orders']),
        documentOf('own', ['GET /users', 'GET /things'], { host: 'a.com' }),
      ],
    },
    [
      [
        'own',
        '/users',
        'the host a.com is more specific, but segment 1 is "users", the request has "orders"',
      ],
    ],
  ],
  [
    'a less specific host with the path',
    'GET a.com /orders',
    {
      documents: [
        documentOf('any', ['GET /orders']),
        documentOf('own', ['GET /orders'], { host: 'a.com' }),
      ],
    },
    [['any', '/orders', 'it matches, too, but the host a.com is more specific']],
  ],
  [
    'a version that is not active',
    'GET a.com /orders/7',
    { documents: [documentOf('old', ['GET /orders/:id'], { is_active: false }), orders] },
    [
      ['old', '/orders/:id', 'the version is not active'],
      ['orders', '/orders/new', 'segment 2 is "new", the request has "7"'],
      ['orders', '/orders', 'the pattern ends before segment 2 of the request, "7"'],
    ],
  ],
  [
    'a document whose routes are taken',
    'GET a.com /mine',
    {
      documents: [],
      unserved: [documentOf('late', ['GET /mine', 'GET /other'])],
      conflicts: [
        {
          ...{ id: 'late', ts: 1, hash: '', node: 'n', reason: 'routes_taken', serves: null },
          other: 'early',
        },
      ],
    },
    [['late', '/mine', 'the document is not served: one of its routes belongs to early']],
  ],
  [
    'a document that does not compile on this node',
    'GET a.com /mine',
    {
      documents: [],
      unserved: [documentOf('new', ['GET /mine'])],
      conflicts: [{ id: 'new', ts: 1, hash: '', node: 'n', reason: 'does_not_compile', serves: 1 }],
    },
    [
      [
        'new',
        '/mine',
        'the newest version of the document does not compile on this node; an older version of it serves',
      ],
    ],
  ],
  [
    'the path of WebSocket connections',
    'GET a.com /ws',
    { documents: [] },
    [[null, undefined, '"/ws" is reserved for WebSocket connections: no document can serve it']],
  ],
  [
    'a document of another realm that answers, without telling it, and nothing of others',
    'GET a.com /orders/7',
    {
      documents: [
        documentOf('theirs', ['GET /orders/:id', 'GET /orders/x'], { realm_uri: 'com.theirs' }),
        documentOf('ours', ['GET /[...]'], { realm_uri: 'com.ours' }),
      ],
      within: 'com.ours',
    },
    [
      [null, undefined, 'a document of another realm is in the way'],
      ['ours', '/[...]', 'it matches, too, but a document of another realm is in the way'],
    ],
  ],
  [
    'nothing of other realms where none of them answers',
    'GET a.com /orders/7',
    {
      documents: [documentOf('theirs', ['GET /orders/x'], { realm_uri: 'com.theirs' })],
      within: 'com.ours',
    },
    [],
  ],
]

describe('the near misses of a request', () => {
  for (const [fact, request, setting, misses] of cases) {
    it(`name ${fact}`, () => {
      const found = missesOf(request, setting)
      expect(found.map(({ id, pattern, why }) => [id, pattern, why])).to.deep.equal(misses)
    })
  }

  it('are none where nothing resembles the request', () => {
    expect(missesOf('GET a.com /completely/else', { documents: [orders] })).to.deep.equal([])
  })

  it('are at most ten', () => {
    const routes = Array.from({ length: 50 }, (_, at) => `GET /orders/a${at}`)
    expect(
      missesOf('GET a.com /orders/b', { documents: [documentOf('x', routes)] }),
    ).to.have.length(10)
  })
})
