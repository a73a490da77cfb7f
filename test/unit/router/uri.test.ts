/** Which URIs and patterns are well-formed, and which pattern a URI goes to. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isUri, type Match } from '#component/router/uri.ts'
import { UriIndex } from '#component/router/uri-index.ts'

describe('isUri', () => {
  for (const [uri, exact, prefix, wildcard] of [
    ['com.example.a', true, true, true],
    ['a', true, true, true],
    ['com.Ž-x_1:y/z', true, true, true],
    ['', false, true, true],
    ['com.', false, true, true],
    ['com..a', false, false, true],
    ['.com', false, false, true],
    ['..', false, false, true],
    ['com a', false, false, false],
    ['com\ta', false, false, false],
    ['com\u00a0a', false, false, false],
    ['com\u3000', false, false, false],
    ['com.#', false, false, false],
  ] as const) {
    it(`judges ${JSON.stringify(uri)}`, () => {
      expect([isUri(uri), isUri(uri, 'prefix'), isUri(uri, 'wildcard')]).to.deep.equal([
        exact,
        prefix,
        wildcard,
      ])
    })
  }

  it('agrees with the regular expression of WAMP', () => {
    const loose = /^([^\s.#]+\.)*[^\s.#]+$/
    const text = fc.string({ unit: fc.constantFrom('a', '.', '#', ' ', '\n', 'é', '\u2028') })
    fc.assert(fc.property(text, (uri) => isUri(uri) === loose.test(uri)))
  })
})

describe('UriIndex', () => {
  const patterns: readonly (readonly [Match, string])[] = [
    ['exact', 'a.b.c'],
    ['prefix', ''],
    ['prefix', 'a'],
    ['prefix', 'a.b'],
    ['wildcard', 'a..c'],
    ['wildcard', 'a.b.'],
    ['wildcard', '..c'],
    ['wildcard', 'x..'],
  ]
  const built = () => {
    const index = new UriIndex<string>()
    for (const [match, uri] of patterns) index.set(match, uri, `${match} ${uri}`)
    return index
  }

  for (const [uri, found] of [
    ['a.b.c', ['exact a.b.c', 'prefix a.b', 'prefix a', 'prefix ', 'a.b.', 'a..c', '..c']],
    ['a.x.c', ['prefix a', 'prefix ', 'a..c', '..c']],
    ['a.bc', ['prefix a.b', 'prefix a', 'prefix ']],
    ['x.y.c', ['prefix ', 'x..', '..c']],
    ['q', ['prefix ']],
  ] as const) {
    it(`finds what ${uri} goes to, the best one first`, () => {
      const wanted = found.map((one) => (one.includes(' ') ? one : `wildcard ${one}`))
      expect(built().all(uri)).to.deep.equal(wanted)
      expect(built().best(uri)).to.equal(wanted[0])
    })
  }

  it('gives wildcards their precedence, also without a prefix in front', () => {
    const index = built()
    for (const prefix of ['', 'a', 'a.b']) index.delete('prefix', prefix)
    expect(index.best('a.x.c')).to.equal('wildcard a..c')
    expect(index.best('x.y.c')).to.equal('wildcard x..')
    expect(index.best('q')).to.equal(undefined)
  })

  it('is empty after everything is deleted', () => {
    const index = built()
    for (const [match, uri] of patterns) index.delete(match, uri)
    expect(index.all('a.b.c')).to.deep.equal([])
    expect([...index.values('wildcard')]).to.deep.equal([])
  })

  it('keeps the same text apart by its match', () => {
    const index = new UriIndex<number>()
    index.set('exact', 'a.b', 1)
    index.set('prefix', 'a.b', 2)
    index.delete('exact', 'a.b')
    expect([index.get('exact', 'a.b'), index.best('a.b')]).to.deep.equal([undefined, 2])
  })
})
