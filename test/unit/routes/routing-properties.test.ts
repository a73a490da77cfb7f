/** Properties of the routing table: find-my-way and a naive matcher agree with it on random tables, in any order. */
import { expect } from 'chai'
import fc from 'fast-check'
import findMyWay from 'find-my-way'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { rounds } from '#test/support/running/rounds.ts'

type Entry = RouteEntry<string>

const entry = (host: string, pattern: string): Entry => ({
  api: 'a',
  realm_uri: 'r',
  host,
  pattern,
  path: `${host} ${pattern}`,
  routes: { get: `${host} ${pattern}` },
})

/** What a table answers: the route and its bindings. */
function answer(entries: readonly Entry[], host: string, path: string): unknown {
  const match = RoutingTable.build(entries).table.match(host, path, 'get')
  return match?.kind === 'match' ? { route: match.route, bindings: { ...match.bindings } } : null
}

/** Every text that a pattern with brackets stands for, by taking and leaving the innermost brackets. */
function expand(pattern: string): string[] {
  const text = pattern.replace('[...]', '*')
  const bracket = /\[([^[\]]*)\]/.exec(text)
  if (!bracket) return [text]
  return ['', bracket[1] ?? ''].flatMap((part) => expand(text.replace(bracket[0], part)))
}

const segmentsOf = (text: string): string[] => text.split('/').filter(Boolean)
const labelsOf = (text: string): string[] => text.split('.').toReversed()

const anonymise = (text: string): string =>
  text.replaceAll(/:\w+/g, ':').replaceAll(/\{\w+\}/g, '{}')

/** Host and path forms of an entry as plain lists: labels from the right, segments from the left. */
const formsOf = ({ host, pattern }: Entry): { labels: string[]; segments: string[] }[] =>
  expand(host).flatMap((hostForm) =>
    expand(pattern).map((form) => ({ labels: labelsOf(hostForm), segments: segmentsOf(form) })),
  )

const keysOf = (one: Entry): Set<string> =>
  new Set(formsOf(one).map((form) => anonymise(JSON.stringify(form))))

const partNames = (part: string): string[] =>
  [...part.matchAll(/[:{](\w+)/g)].map(([, name = '']) => name)

/** What the bindings of a part are in a value; undefined when it does not fit. A regular expression takes as much as it can, from the left on. */
function valuesIn(part: string, value: string): string[] | undefined {
  if (part.startsWith(':')) return [value]
  const texts = part.split(/\{\w+\}/).map((text) => text.replaceAll(/[^\w]/g, '\\$&'))
  return new RegExp(`^${texts.join('(.+)')}$`, 's').exec(value)?.slice(1)
}

/** How well a part of a pattern fits, as a text (smaller is better); undefined when it does not. */
function rank(part: string, value: string): string | undefined {
  if (valuesIn(part, value) === undefined) return undefined
  if (part.startsWith(':')) return '2'
  const texts = part.split(/\{\w+\}/)
  if (texts.length === 1) return '0'
  const lengths = [texts[0], texts.at(-1), texts.join('')].map((text = '') => 99 - text.length)
  return `1 ${lengths.join(' ')} ${texts.join('/')}`
}

/** The ranks of all parts as one sortable text; undefined when they do not fit. */
function rankAll(parts: readonly string[], values: readonly string[]): string | undefined {
  let ranks = ''
  for (let i = 0; i < Math.max(parts.length, values.length); i += 1) {
    const part = parts[i]
    if (part === '*') return `${ranks}3`
    const value = values[i]
    const one = part === undefined || value === undefined ? undefined : rank(part, value)
    if (one === undefined) return undefined
    ranks += `${one};`
  }
  return parts.at(-1) === '*' ? `${ranks}3` : ranks
}

/**
 * What {@link answer} may give, by trying everything and sorting: more than one where optional segments make forms of
 * one pattern equal but for the names of bindings.
 */
function naive(entries: readonly Entry[], host: string, path: string): unknown[] {
  if (path.includes('//')) return [null]
  const values = segmentsOf(path)
  const candidates: { ranks: string; route: string; bindings: Record<string, string> }[] = []
  for (const one of entries) {
    for (const { labels, segments } of formsOf(one)) {
      const hostRank = one.host === '_' ? '3' : rankAll(labels, labelsOf(host))
      const pathRank = rankAll(segments, values)
      if (hostRank === undefined || pathRank === undefined) continue
      const bindings: Record<string, string> = {}
      segments.forEach((segment, i) => {
        const bound = segment === '*' ? [] : (valuesIn(segment, values[i] ?? '') ?? [])
        for (const [at, name] of partNames(segment).entries()) bindings[name] = bound[at] ?? ''
        if (segment === '*') bindings.rest = values.slice(i).join('/')
      })
      candidates.push({
        ranks: `${hostRank} ${pathRank}`,
        route: `${one.host} ${one.pattern}`,
        bindings,
      })
    }
  }
  const best = candidates.map(({ ranks }) => ranks).toSorted()[0]
  if (best === undefined) return [null]
  return candidates
    .filter(({ ranks }) => ranks === best)
    .map(({ route, bindings }) => ({ route, bindings }))
}

/** Have two sets nothing in common? */
const areDisjoint = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((key) => !other.has(key))

/** The entries that share no form with an earlier one. */
function withoutClashes(entries: readonly Entry[]): Entry[] {
  const taken = new Set<string>()
  return entries.filter((one) => {
    const keys = keysOf(one)
    if (!areDisjoint(keys, taken)) return false
    for (const key of keys) taken.add(key)
    return true
  })
}

const host = fc.constantFrom('_', 'a', 'b.a', ':_.a', ':_', '[b.]a', ':_.:_', 'b.:_', '[b.][c.]a')
const requestHost = fc.constantFrom('a', 'b', 'b.a', 'c.a', 'c.b', 'b.c.a', 'd.c.b.a')

/** Names bindings by their place, so that no pattern has two of one name. */
const named = (pattern: string): string => {
  let count = 0
  return pattern.replaceAll(/[:{]/g, (mark) => `${mark}n${count++}`)
}

const pattern = (segments: readonly string[], rests: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...rests),
    )
    .map(([parts, rest]) => named(`/${parts.join('/')}${rest}`))
    // more than 8 optional segments are refused
    .filter((text) => text.replace('[...]', '').split('[').length <= 9)

const rich = pattern(
  ['a', 'b', ':', '[a]', '[b]', '[:]', '[a/[b]]', '[[a]/:]', '[a/:]'],
  ['', '', '', '/[...]', '/[b/[...]]'],
)
const parted = pattern(
  [
    'a',
    'b',
    ':',
    '[a]',
    '{}b',
    'a{}',
    'a{}b',
    '{}b{}',
    '{}-{}',
    'a{}-{}b',
    '{}--{}',
    '{}-{}-{}',
    '[{}-b]',
    'ab-{}',
    '{}aa',
  ],
  ['', '', '/[...]'],
)
const plain = pattern(['a', 'b', 'c', ':'], [''])

const path = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 }),
    fc.constantFrom('', '', '/', '//'),
  )
  .map(([parts, end]) => `/${parts.join('/')}${parts.length > 0 ? end : ''}`)

const partedPath = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 7 }), {
    maxLength: 4,
  })
  .map((parts) => `/${parts.join('/')}`)

const entriesOf = (hosts: fc.Arbitrary<string>, patterns: fc.Arbitrary<string>) =>
  fc.array(
    fc.tuple(hosts, patterns).map(([one, other]) => entry(one, other)),
    { maxLength: 8 },
  )

describe('the routing table, at random', () => {
  it('answers as find-my-way does where that can express the patterns', () => {
    fc.assert(
      fc.property(entriesOf(fc.constant('_'), plain), path, (all, at) => {
        fc.pre(at !== '/' && !at.includes('//')) // find-my-way binds empty segments, too
        const entries = withoutClashes(all)
        const router = findMyWay({ ignoreTrailingSlash: true })
        for (const one of entries) router.on('GET', one.pattern, () => {}, one.routes.get)
        const found = router.find('GET', at)
        const expected = found ? { route: found.store, bindings: { ...found.params } } : null
        expect(answer(entries, 'x', at)).to.deep.equal(expected)
      }),
      { numRuns: rounds(400, 2000) },
    )
  })

  it('answers as trying every form of every pattern does', () => {
    fc.assert(
      fc.property(entriesOf(host, rich), requestHost, path, (all, from, at) => {
        const entries = withoutClashes(all)
        expect(naive(entries, from, at)).to.deep.include(answer(entries, from, at))
      }),
      { numRuns: rounds(600, 3000) },
    )
  })

  it('answers as regular expressions do where segments have text beside their bindings', () => {
    fc.assert(
      fc.property(entriesOf(fc.constant('_'), parted), partedPath, (all, at) => {
        const entries = withoutClashes(all)
        expect(naive(entries, 'x', at)).to.deep.include(answer(entries, 'x', at))
      }),
      { numRuns: rounds(1500, 10_000) },
    )
  })

  it('does not depend on the order of loading', () => {
    fc.assert(
      fc.property(
        entriesOf(host, rich),
        requestHost,
        path,
        fc.infiniteStream(fc.nat()),
        (all, from, at, keys) => {
          const entries = withoutClashes(all)
          const shuffled = entries
            .map((one) => ({ one, key: keys.next().value ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ one }) => one)
          expect(answer(shuffled, from, at)).to.deep.equal(answer(entries, from, at))
        },
      ),
      { numRuns: rounds(200, 1000) },
    )
  })

  it('finds a clash exactly where two entries have a form in common', () => {
    fc.assert(
      fc.property(host, rich, host, rich, (host1, pattern1, host2, pattern2) => {
        const one = entry(host1, pattern1)
        const other = entry(host2, pattern2)
        const { clashes } = RoutingTable.build([one, other])
        expect(clashes.length > 0).to.equal(!areDisjoint(keysOf(one), keysOf(other)))
      }),
      { numRuns: rounds(600, 3000) },
    )
  })

  it('is built from 10,000 routes with optional segments', () => {
    const entries = Array.from({ length: 10_000 }, (_, i) =>
      entry('_', `/api/[v1.0]/things${i % 100}/:id/parts${i}`),
    )
    const { table, clashes } = RoutingTable.build(entries)
    expect(clashes).to.deep.equal([])
    expect(table.match('x', '/api/things7/1/parts7', 'get')).to.have.property('kind', 'match')
  })
})
