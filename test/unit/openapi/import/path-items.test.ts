/** Path items of OpenAPI as paths. */
import { expect } from 'chai'
import { at, imported, pathOf } from './imported.ts'

describe('Paths of an OpenAPI document', () => {
  const rows: readonly (readonly [template: string, pattern: string])[] = [
    ['/orders/{id}/items/{item_id}', '/orders/{id}/items/{item_id}'],
    ['/orders/{order.id}', '/orders/{order_id}'],
    ['/:batch/[x]', '/%3Abatch/%5Bx%5D'],
    ['/Accounts/{Sid}.json', '/Accounts/{Sid}.json'],
    ['/jobs/{id}:cancel', '/jobs/{id}:cancel'],
    ["/Orders('{order.id}')/x", "/Orders('{order_id}')/x"],
    ['/:{verb}', '/%3A{verb}'],
    ['/a/{x}/{x}.json', '/a/{x}/{x_2}.json'],
    ['/', '/[_]'],
  ]
  for (const [template, pattern] of rows) {
    it(`become patterns: ${template} is ${pattern}`, () => {
      const { document } = imported({ paths: { [template]: { get: {} } } })
      expect(Object.keys(at(document, 'versions', '1.0', 'paths') as object)).to.deep.equal([
        pattern,
      ])
    })
  }

  it('end in [...] where a parameter says so', () => {
    const parameters = [
      {
        name: 'rest',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        'x-wamp-gateway-rest': true,
      },
    ]
    const found = imported({ paths: { '/files/{rest}': { get: { parameters } } } })
    expect(at(pathOf(found, '/files/[...]'), 'get')).to.be.an('object')
  })

  it('are told where no pattern is the same', () => {
    const { document, losses } = imported({
      paths: { '/': { get: {} }, '/_': { get: {} }, '/a/{b}{c}': {}, '/a/{x}': {}, '/a/{x}/': {} },
    })
    const paths = at(document, 'versions', '1.0', 'paths') as object
    expect(Object.keys(paths)).to.include.members(['/[__]', '/_'])
    expect(losses.map(({ path, message }) => [path, message])).to.deep.include.members([
      ['/paths/~1', 'an API Specification has no path "/": it becomes /[__]'],
      ['/paths/~1a~1{b}{c}', `the segment "{b}{c}": two bindings need text between them`],
    ])
  })

  it('tell what they have of other methods, servers and unknown keys', () => {
    const { losses } = imported({
      paths: { '/a': { trace: {}, servers: [{}], query: { x: 1 }, 'x-y': 1, tpyo: 1 } },
    })
    expect(losses.map(({ path }) => path)).to.deep.equal([
      ...['/paths/~1a/servers', '/paths/~1a/query', '/paths/~1a/tpyo', '/paths/~1a/x-y'],
    ])
  })
})
