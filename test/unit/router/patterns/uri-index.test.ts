/** Which patterns a URI goes to, in which order, however many there are. */
import { expect } from 'chai'
import fc from 'fast-check'
import { UriIndex } from '#component/router/patterns/uri-index.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

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

  it('finds what a look through all patterns finds, after any changes', () => {
    const component = fc.constantFrom('', 'a', 'b', 'ab', 'constructor')
    const pattern = fc.array(component, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'))
    // the components of a message's URI are never empty
    const anyUri = fc
      .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
      .map((all) => all.join('.'))
    const change = fc.record({
      isAdded: fc.boolean(),
      match: fc.constantFrom<Match>('exact', 'prefix', 'wildcard'),
      uri: pattern,
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.array(anyUri), (changes, uris) => {
        const index = new UriIndex<string>()
        const patterns = new Map<string, Pattern>()
        for (const { isAdded, match, uri } of changes) {
          const name = `${match} ${uri}`
          if (isAdded) {
            index.set(match, uri, name)
            patterns.set(name, { match, uri })
          } else {
            index.delete(match, uri)
            patterns.delete(name)
          }
        }
        for (const uri of uris) {
          const found = expected([...patterns.values()], uri)
          expect(index.all(uri)).to.deep.equal(found)
          expect(index.best(uri)).to.equal(found[0])
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('looks at few ways to leave components empty, whatever is subscribed', () => {
    const index = new UriIndex<number>()
    let refused = 0
    for (let bits = 0; bits < 1_024; bits++) {
      const uri = Array.from({ length: 10 }, (_, at) => (bits & (1 << at) ? '' : 'a')).join('.')
      if (index.hasRoom('wildcard', uri)) index.set('wildcard', uri, bits)
      else refused += 1
    }
    expect(refused).to.equal(1_024 - 256)
    // what is empty in the same places needs no look of its own
    expect(index.hasRoom('wildcard', 'x.x.x.x.x.x.x.x.x.x')).to.equal(true)
    expect(index.hasRoom('wildcard', '........')).to.equal(true)
    expect(index.all('a.a.a.a.a.a.a.a.a.a')).to.have.length(256)
  })
})

interface Pattern {
  readonly match: Match
  readonly uri: string
}

/** The simple way: every pattern is looked at, and those that fit are sorted. */
function expected(patterns: readonly Pattern[], uri: string): string[] {
  const components = uri.split('.')
  const fits = ({ match, uri: pattern }: Pattern): boolean => {
    if (match === 'exact') return pattern === uri
    if (match === 'prefix') return uri.startsWith(pattern)
    const wanted = pattern.split('.')
    return (
      wanted.length === components.length &&
      wanted.every((one, at) => one === '' || one === components[at])
    )
  }
  /** Which components are given, from the left: the greater text is the better pattern. */
  const given = (pattern: string) =>
    pattern
      .split('.')
      .map((one) => (one === '' ? '0' : '1'))
      .join('')
  const rank: readonly Match[] = ['exact', 'prefix', 'wildcard']
  const fitting = patterns.filter(fits).sort((a, b) => {
    if (a.match !== b.match) return rank.indexOf(a.match) - rank.indexOf(b.match)
    if (a.match === 'prefix') return b.uri.length - a.uri.length
    return given(a.uri) > given(b.uri) ? -1 : 1
  })
  return fitting.map(({ match, uri: pattern }) => `${match} ${pattern}`)
}
