/** Patterns, versions and ids of operations as OpenAPI writes them. */
import { expect } from 'chai'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, operationsOf, type Seen } from './describe.ts'

const get = fixed('ok')

const pathsOf = (pattern: string, version: object = {}): string[] =>
  Object.keys(describeDocument(documentOf({ [pattern]: { get } }, {}, version)).paths)

describe('the paths of a description', () => {
  for (const [pattern, paths] of [
    ['/orders', ['/orders']],
    ['/orders/:id', ['/orders/{id}']],
    ['/a/:_/b/:_', ['/a/{_1}/b/{_2}']],
    ['/a/:_/:_1', ['/a/{_2}/{_1}']],
    ['/hats/[page/[:number]]', ['/hats/page/{number}', '/hats/page', '/hats']],
    ['/[a]', ['/a', '/']],
    ['/files/[...]', ['/files/{rest}']],
    ['/%7Bx%7D/ä', ['/%7Bx%7D/%C3%A4']],
    ['/a:b@c', ['/a:b@c']],
    ['/Accounts/{Sid}.json', ['/Accounts/{Sid}.json']],
    ['/jobs/{id}:cancel', ['/jobs/{id}:cancel']],
    ["/Orders('{id}')", ["/Orders('{id}')"]],
    ['/compare/{base}...{head}', ['/compare/{base}...{head}']],
    ['/{id}/[{a}-{_}]', ['/{id}/{a}-{_1}', '/{id}']],
    ['/ä{x}%7B', ['/%C3%A4{x}%7B']],
  ] as const) {
    it(`${pattern} is ${paths.join(', ')}`, () => {
      expect(pathsOf(pattern)).to.deep.equal(paths)
    })
  }

  it('leaves out the form with a rest that another path answers', () => {
    const paths = { '/files/[...]': { put: get }, '/files/:id': { get } }
    expect(operationsOf(describeDocument(documentOf(paths)))).to.deep.equal(['get /files/{id}'])
  })

  it('marks the rest of a path, and says what it is', () => {
    const { paths } = describeDocument(documentOf({ '/files/[...]': { get } }))
    const [parameter] = paths['/files/{rest}'].get.parameters
    expect(parameter).to.include({ name: 'rest', in: 'path', required: true })
    expect(parameter['x-wamp-gateway-rest']).to.equal(true)
    expect(parameter.description).to.contain('any number of segments')
  })

  it('has the texts of a path', () => {
    const path = { summary: 'Orders.', description: 'All of them.', get }
    const { paths } = describeDocument(documentOf({ '/orders': path }))
    expect(paths['/orders']).to.include({ summary: 'Orders.', description: 'All of them.' })
  })

  it('lists no OPTIONS, no hidden operation, and no path without an operation', () => {
    const paths = {
      '/a': { options: get, get: { ...get, hidden: true } },
      '/b': { get, post: { ...get, hidden: true } },
    }
    expect(operationsOf(describeDocument(documentOf(paths)))).to.deep.equal(['get /b'])
  })
})

describe('the servers of a description', () => {
  for (const [what, version, options, urls] of [
    ['relative to the description', {}, {}, ['/v1']],
    ['the root', { base_path: '/' }, {}, ['/']],
    ['each form of base_path', { base_path: '/[v1]' }, {}, ['/v1', '/']],
    ['the public address', {}, { serverBase: 'https://a.example' }, ['https://a.example/v1']],
    [
      'those of the author',
      { openapi: { servers: ['https://b.example/'] } },
      {},
      ['https://b.example'],
    ],
  ] as const) {
    it(`are ${what}`, () => {
      const { servers } = describeDocument(documentOf({ '/x': { get } }, {}, version), options)
      expect(servers).to.deep.equal(urls.map((url) => ({ url })))
    })
  }

  it('leave a base_path with bindings to the paths', () => {
    const document = documentOf({ '/x': { get } }, {}, { base_path: '/:tenant/[v1]' })
    const description = describeDocument(document)
    expect(description.servers).to.deep.equal([{ url: '/' }])
    expect(Object.keys(description.paths)).to.deep.equal(['/{tenant}/v1/x', '/{tenant}/x'])
  })
})

const idsOf = (description: Seen): unknown[] =>
  Object.values(description.paths as Record<string, Record<string, { operationId?: string }>>)
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId)

describe('the id of an operation', () => {
  for (const [what, paths, ids] of [
    ['is made of method and segments', { '/orders/:id': { get } }, ['get_orders_by_id']],
    ['has letters, digits and _ only', { '/a-b/ä/:c-d': { get } }, ['get_a_b_by_c_d']],
    ['is the method at the root', { '/[x]': { get } }, ['get_x', 'get_x_2']],
    [
      'is the author’s at the longest form',
      { '/a/[b/[:c]]': { get: { ...get, operation_id: 'one' } } },
      ['one', 'one_2', 'one_3'],
    ],
    [
      'of the author is nobody else’s',
      { '/a': { get }, '/b': { get: { ...get, operation_id: 'get_a' } } },
      ['get_a_2', 'get_a'],
    ],
    [
      'stays different where words are equal',
      { '/a-b': { get }, '/a.b': { get } },
      ['get_a_b', 'get_a_b_2'],
    ],
  ] as const) {
    it(what, () => {
      expect(idsOf(describeDocument(documentOf(paths)))).to.deep.equal(ids)
    })
  }

  it('of an operation that a variable holds is used once', () => {
    const variables = { one: { ...get, operation_id: 'one' } }
    const one = '{{variables.one}}'
    const document = documentOf({ '/a': { get: one }, '/b': { get: one } }, { variables })
    expect(idsOf(describeDocument(document))).to.deep.equal(['one', 'one_2'])
  })
})

describe('what a description says of a version', () => {
  it('is its info, else the name, else the id of the document', () => {
    const titleOf = (document: object) => describeDocument(document).info.title
    const document = documentOf({})
    expect(titleOf(document)).to.equal('com.example.test')
    expect(titleOf({ ...document, name: 'Orders' })).to.equal('Orders')
    const info = { title: 'Titled' }
    expect(titleOf({ ...documentOf({}, {}, { info }), name: 'Orders' })).to.equal('Titled')
  })

  it('is what the author publishes of it', () => {
    const openapi = {
      contact: { email: 'a@example.com' },
      license: { name: 'MIT' },
      terms_of_service: 'https://a.example/terms',
      tags: [{ name: 'orders', description: 'Orders.' }],
    }
    const info = { description: 'What has been ordered.' }
    const description = describeDocument(documentOf({}, {}, { openapi, info }))
    expect(description.info).to.deep.include({
      description: 'What has been ordered.',
      contact: { email: 'a@example.com' },
      license: { name: 'MIT' },
      termsOfService: 'https://a.example/terms',
    })
    expect(description.tags).to.deep.equal(openapi.tags)
  })

  it('is that it is deprecated, at each operation', () => {
    const version = { deprecated_at: '2026-11-30', info: { sunset: '2027-06-30' } }
    const { paths } = describeDocument(documentOf({ '/x': { get } }, {}, version))
    expect(paths['/x'].get.deprecated).to.equal(true)
    expect(paths['/x'].get.responses['200'].headers).to.deep.equal({
      Deprecation: { schema: { type: 'string' }, example: '@1795996800' },
      Sunset: { schema: { type: 'string' }, example: 'Wed, 30 Jun 2027 00:00:00 GMT' },
    })
  })
})
