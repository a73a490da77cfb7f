/** Overlaps of routes: symmetric, and what trying every request on both patterns finds. */
import { expect } from 'chai'
import fc from 'fast-check'
import { overlapOf } from '#component/routes/path-overlap.ts'
import { treeOfPatterns } from '#component/routes/route-conflicts.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { hostsOverlap, parseHostPattern } from '#component/syntax/host-pattern.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import { runAtOnce } from '#component/yielding.ts'

const overlap = (ones: readonly string[], others: readonly string[]) =>
  runAtOnce(overlapOf(treeOfPatterns(ones), [treeOfPatterns(others)], Infinity))

/** Every list of at most so many of some words. */
const listsOf = (words: readonly string[], most: number): string[][] =>
  most === 0
    ? [[]]
    : [[], ...listsOf(words, most - 1).flatMap((list) => words.map((word) => [word, ...list]))]

/** `c` stands in no pattern. A pattern has at most three segments. */
const requests = listsOf(['a', 'b', 'c'], 4).map((segments) => `/${segments.join('/')}`)

const segment = fc.constantFrom('/a', '/b', '/:_', '[/a]', '[/:_]', '[/b/a]')

const pattern = fc
  .tuple(fc.array(segment, { maxLength: 2 }), fc.constantFrom('', '/a', '/:_', '/[...]'))
  .map(([segments, end]) => segments.join('') + end || '/')
  .map((text) => (text.startsWith('[/') ? `/${text.replace('[/', '[')}` : text))
  .filter((text) => !('problem' in parsePathPattern(text)))
const patterns = fc.array(pattern, { maxLength: 5 })

const label = fc.constantFrom('a', 'b', ':_', '[a.]', '[:_.]')
const host = fc
  .oneof(
    fc.constantFrom('_', '[::1]', '[2001:db8::1]', '127.0.0.1', ':_.:_.:_.:_', ':_'),
    fc
      .tuple(fc.array(label, { maxLength: 2 }), fc.constantFrom('a', 'b', ':_'))
      .map(([labels, end]) =>
        [...labels, end].map((part) => (part.endsWith(']') ? part : `${part}.`)).join(''),
      ),
  )
  .filter((text) => !('problem' in parseHostPattern(text)))

const hosts = [
  ...['[::1]', '[2001:db8::1]', '127.0.0.1'],
  ...listsOf(['a', 'b', 'c'], 4).map((labels) => labels.join('.')),
].filter(Boolean)

const fits = (hostPattern: string, name: string) => {
  const entry = { api: 'x', realm_uri: 'r', host: hostPattern, pattern: '/', path: '', routes: {} }
  return RoutingTable.build([entry]).table.match(name, '/', 'get') !== undefined
}

const hostOf = (text: string) => {
  const found = parseHostPattern(text)
  if ('problem' in found) throw new TypeError(found.problem)
  return found
}

describe('overlaps of paths', () => {
  it('are those that some request shows', () => {
    fc.assert(
      fc.property(patterns, pattern, (ones, other) => {
        const tree = treeOfPatterns([other])
        const shown = new Set(
          ones.filter((one) => {
            const own = treeOfPatterns([one])
            return requests.some((path) => own.find(path) && tree.find(path))
          }),
        )
        const { found, isComplete } = overlap(ones, [other])
        expect(isComplete).to.equal(true)
        // of equal forms the tree keeps the first one
        for (const one of found.keys()) expect(shown, one).to.include(one)
        expect(found.size > 0).to.equal(shown.size > 0)
        for (const one of shown) expect(overlap([one], [other]).found.size, one).to.equal(1)
      }),
      { numRuns: 1000 },
    )
  })

  it('are the same from either side', () => {
    fc.assert(
      fc.property(patterns, patterns, (ones, others) => {
        const [there, back] = [overlap(ones, others).found, overlap(others, ones).found]
        expect(there.size > 0).to.equal(back.size > 0)
        for (const [one, other] of there) {
          expect(overlap([other], [one]).found.has(other), `${one} ${other}`).to.equal(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are found among 10,000 paths each, and of equal literals however they are written', () => {
    const many = (name: string) =>
      Array.from({ length: 10_000 }, (_, i) => `/v1/${name}${i % 100}/:id/part${i}`)
    expect(overlap(many('a'), many('b'))).to.deep.equal({ found: new Map(), isComplete: true })
    expect(overlap(many('a'), ['/v1/:x/7/part9%3999', '/v2']).found).to.deep.equal(
      new Map([['/v1/a99/:id/part9999', '/v1/:x/7/part9%3999']]),
    )
  })

  for (const [one, other, isFound] of [
    ['/{a}.json', '/{b}.json', true],
    ['/{a}.json', '/{b}.xml', false],
    ['/{a}.json', '/x.json', true],
    ['/{a}.json', '/.json', false],
    ['/{a}.json', '/x.xml', false],
    ['/{a}.json', '/:b', true],
    ['/{a}.json', '/[...]', true],
    ['/{a}.json', '/[x]/:y', true],
    ['/x{a}', '/{b}y', true],
    ['/x{a}', '/xy{b}', true],
    ['/x{a}', '/y{b}', false],
    ['/x{a}.json', '/xy{b}on', true],
    ['/x{a}.json', '/xy{b}om', false],
    ['/{a}-{b}', '/{c}_{d}', true],
    ['/{a}.json/x', '/{b}.json/y', false],
    ['/{a}.json/x', '/c.json/:y', true],
    ['/v{a}/x', '/v1/x', true],
  ] as const) {
    it(`are ${isFound ? '' : 'not '}found of ${one} and ${other}, from either side`, () => {
      expect(overlap([one], [other]).found.size).to.equal(Number(isFound))
      expect(overlap([other], [one]).found.size).to.equal(Number(isFound))
    })
  }

  it('are found among 10,000 segments of text and bindings each', () => {
    const many = (verb: string, text = '') =>
      Array.from({ length: 10_000 }, (_, i) => `/${text}{id}:${verb}${i}`)
    expect(overlap(many('a'), many('b'))).to.deep.equal({ found: new Map(), isComplete: true })
    expect(overlap(many('a'), ['/x{id}9999', '/y']).found.size).to.equal(1)
    expect(overlap(many('a'), many('a', 'x'))).to.have.property('isComplete', true)
  })

  it('are given up where every path could be every other one until its end', () => {
    const ones = Array.from({ length: 2_000 }, (_, i) => `/x${i}/:_/p${i}`)
    const others = Array.from({ length: 2_000 }, (_, i) => `/:_/y${i}/q${i}`)
    expect(overlap(ones, others)).to.deep.equal({ found: new Map(), isComplete: false })
  })

  it('are as many as are asked for', () => {
    const ones = treeOfPatterns(Array.from({ length: 10 }, (_, i) => `/a${i}`))
    expect(runAtOnce(overlapOf(ones, [treeOfPatterns(['/[...]'])], 3)).found.size).to.equal(3)
    expect(runAtOnce(overlapOf(ones, [treeOfPatterns([])], 3)).found.size).to.equal(0)
    expect(
      runAtOnce(overlapOf(treeOfPatterns(['/[...]']), [treeOfPatterns([])], 3)).found.size,
    ).to.equal(0)
  })
})

describe('overlaps of hosts', () => {
  it('are those that some host shows, from either side', () => {
    fc.assert(
      fc.property(host, host, (one, other) => {
        const isShown = hosts.some((name) => fits(one, name) && fits(other, name))
        expect(hostsOverlap(hostOf(one), hostOf(other))).to.equal(isShown)
        expect(hostsOverlap(hostOf(other), hostOf(one))).to.equal(isShown)
      }),
      { numRuns: 500 },
    )
  })
})
