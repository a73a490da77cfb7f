/** The shape of `examples`, and their number. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { withValue } from './document.ts'
import { path, show } from './field-rows.ts'

const at = `${path}/get/examples`
const pointersOf = (document: object): string[] =>
  validateSpec(document).issues.map((issue) => issue.path)

/** An example that is well apart from some members. */
const withMembers = (members: object) => ({ one: { expect: { status: 200 }, ...members } })

describe('examples', () => {
  for (const members of [
    {},
    { description: 'a text' },
    { request: { bindings: { id: '7', n: 7 }, query_params: { a: ['x', 1], b: true } } },
    { request: { path: '/v1/a|b?c[]={d}' } },
    { request: { path: '/v1/x?a=1&b=%20', headers: { Accept: 'text/html', 'x-n': 1 }, body: [] } },
    { request: { scheme: 'http', host: 'a.example' } },
    { as: null },
    { as: 'anonymous' },
    { as: { authid: 'ada', authroles: ['staff'], realm_uri: 'com.example', authmethod: 'ticket' } },
    { outcome: { result: { args: ['{{ {'] } } },
    { outcome: { error: { error_uri: 'com.example.error', args: [], kwargs: {} } } },
    { outcome: [{ result: {} }, { error: { error_uri: 'a' } }] },
    {
      outcome: {
        events: [
          {},
          { args: [7], kwargs: {}, details: {}, topic: 'a.b', publication_id: 9, retained: true },
        ],
        snapshot: { result: { args: [] } },
      },
    },
    { outcome: { events: [], snapshot: { error: { error_uri: 'a' } } } },
    { outcome: { pieces: [{ args: [1] }, { kwargs: {} }], error: { error_uri: 'a' } } },
    { expect: { frames: [] } },
    { expect: { frames: [{ id: null, event: 'a', data: { b: [] } }, { data_matches: true }] } },
    { expect: { body: null } },
    { expect: { headers: { location: '/x', 'set-cookie': ['a', 'b'], etag: null, age: 7 } } },
    { expect: { body_matches: { type: 'object', pattern: '^{{3}' } } },
    { expect: { body_matches: true } },
    { expect: { action: { args: [7] } } },
    { expect: { action: [{ topic: 'a' }] } },
    { expect: { action: null } },
    { expect: { error_code: 'a.b' } },
  ]) {
    it(`may have ${show(members)}`, () => {
      const { issues, warnings } = compileDocument(withValue(at, withMembers(members)), {
        callTimeout: 1000,
      })
      expect([...issues, ...warnings]).to.deep.equal([])
    })
  }

  for (const [members, below] of [
    [{ expect: undefined }, '/expect'],
    [{ expect: {} }, '/expect'],
    [{ expect: { stauts: 200 } }, '/expect'],
    [{ expect: { status: '200' } }, '/expect/status'],
    [{ expect: { status: 100 } }, '/expect/status'],
    [{ expect: { headers: { 'a b': '1' } } }, '/expect/headers/a b'],
    [{ expect: { headers: { a: {} } } }, '/expect/headers/a'],
    [{ expect: { body_matches: 7 } }, '/expect/body_matches'],
    [{ expect: { action: 7 } }, '/expect/action'],
    [{ expect: { action: [7] } }, '/expect/action'],
    [{ expect: { error_code: 7 } }, '/expect/error_code'],
    [{ description: 7 }, '/description'],
    [{ request: [] }, '/request'],
    [{ request: { bindings: { id: [] } } }, '/request/bindings/id'],
    [{ request: { query_params: { a: [] } } }, '/request/query_params/a'],
    [{ request: { query_params: { a: {} } } }, '/request/query_params/a'],
    [{ request: { path: 'x' } }, '/request/path'],
    [{ request: { path: '/a b' } }, '/request/path'],
    [{ request: { path: '/a?b c' } }, '/request/path'],
    [{ request: { path: '/a', bindings: {} } }, '/request/bindings'],
    [{ request: { path: '/a', query_params: {} } }, '/request/query_params'],
    [{ request: { headers: { 'a b': '1' } } }, '/request/headers/a b'],
    [{ request: { headers: { a: 'b\r\nc: d' } } }, '/request/headers/a'],
    [{ request: { scheme: 'ftp' } }, '/request/scheme'],
    [{ as: 'ada' }, '/as'],
    [{ as: {} }, '/as/authid'],
    [{ as: { authid: 'ada', authroles: 'staff' } }, '/as/authroles'],
    [{ outcome: { result: [] } }, '/outcome/result'],
    [{ outcome: { error: {} } }, '/outcome/error/error_uri'],
    [{ outcome: { result: {}, error: { error_uri: 'a' } } }, '/outcome/error'],
    [{ outcome: [] }, '/outcome'],
    [{ outcome: { events: {} } }, '/outcome/events'],
    [{ outcome: { events: [{ topic: 'a..b' }] } }, '/outcome/events/0/topic'],
    [{ outcome: { events: [{ publication_id: 0 }] } }, '/outcome/events/0/publication_id'],
    [{ outcome: { events: [{ retained: 1 }] } }, '/outcome/events/0/retained'],
    [{ outcome: { events: Array(1001).fill({}) } }, '/outcome/events'],
    [{ outcome: { events: [], pieces: [] } }, '/outcome/pieces'],
    [{ outcome: { events: [], result: {} } }, '/outcome/result'],
    [{ outcome: { events: [], error: { error_uri: 'a' } } }, '/outcome/error'],
    [{ outcome: { pieces: [{ args: {} }] } }, '/outcome/pieces/0/args'],
    [{ expect: { frames: {} } }, '/expect/frames'],
    [{ expect: { frames: [7] } }, '/expect/frames/0'],
    [{ expect: { frames: [{ id: 7 }] } }, '/expect/frames/0/id'],
    [{ expect: { frames: [{ data_matches: 7 }] } }, '/expect/frames/0/data_matches'],
  ] as const) {
    it(`may not have ${show(members)} because of ${below}`, () => {
      const { expect: _, ...rest } = withMembers(members).one
      const one =
        'expect' in members && members.expect === undefined ? rest : withMembers(members).one
      expect(pointersOf(withValue(at, { one }))).to.deep.equal([`${at}/one${below}`])
    })
  }

  for (const value of [[], 'x', '{{variables.examples}}', null]) {
    it(`may not be ${show(value)}`, () => {
      expect(pointersOf(withValue(at, value))).to.deep.equal([at])
    })
  }

  it('have a name of 1 to 100 characters', () => {
    const { one } = withMembers({})
    const long = 'x'.repeat(101)
    const document = withValue(at, { '': one, [long]: one, ['x'.repeat(100)]: one })
    expect(pointersOf(document)).to.deep.equal([`${at}/`, `${at}/${long}`])
  })

  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`e${i}`, withMembers({}).one]))

  it('are at most 100 of an operation', () => {
    expect(pointersOf(withValue(at, many(100)))).to.deep.equal([])
    expect(pointersOf(withValue(at, many(101)))).to.deep.equal([at])
  })

  it('are at most 10,000 of a document', () => {
    const get = { action: { type: 'static' }, response: {}, examples: many(100) }
    const paths = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`/p${i}`, { get }]))
    expect(pointersOf(withValue('/versions/1/paths', paths(100)))).to.deep.equal([])
    expect(pointersOf(withValue('/versions/1/paths', paths(101)))).to.deep.equal([
      '/versions/1/paths',
    ])
  })
})
