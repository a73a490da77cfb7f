/** The places of other realms are those on hosts that overlap, whatever was put in their place before. */
import { expect } from 'chai'
import fc from 'fast-check'
import { overlapOf } from '#component/routes/path-overlap.ts'
import { type OwnedPlaces, type Place, RealmPlaces } from '#component/routes/realm-places.ts'
import { treeOfPatterns } from '#component/routes/route-conflicts.ts'
import { type HostPattern, hostsOverlap, parseHostPattern } from '#component/syntax/host-pattern.ts'
import { runAtOnce } from '#component/yielding.ts'
import { rounds } from '#test/support/running/rounds.ts'

const hosts = [
  '_',
  'a.com',
  'b.a.com',
  '[b.]a.com',
  ':_.com',
  ':_.a.com',
  '[::1]',
  'broken..',
] as const
const patterns = ['/a', '/b', '/a/:x', '/[a/]b', '/:y/c', '/a/[...]', '/d'] as const
const realms = ['com.one', 'com.two', 'com.three', undefined] as const

const hostOf = (text: string): HostPattern | undefined => {
  const parsed = parseHostPattern(text)
  return 'problem' in parsed ? undefined : parsed
}

/** A document gets other places, or none; some of its places may be of a realm of their own. */
const change = fc.record({
  id: fc.constantFrom('d1', 'd2', 'd3', 'd4', 'd5'),
  owned: fc.array(
    fc.record({
      realm_uri: fc.constantFrom(...realms),
      host: fc.constantFrom(...hosts),
      patterns: fc.uniqueArray(fc.constantFrom(...patterns), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
})

const everything = treeOfPatterns(['/[...]'])

/** Every place that is found, in the order of their texts. */
function found(places: RealmPlaces, realm_uri: string | undefined, host: HostPattern): string[] {
  const trees = [...places.ofOthers(realm_uri, host)]
  const all = trees.flatMap((tree) => [
    ...runAtOnce(overlapOf(tree, [everything], Number.POSITIVE_INFINITY)).found.keys(),
  ])
  return [...new Set(all.flat())].map(({ api, path }) => `${api} ${path}`).sort()
}

function wanted(
  documents: ReadonlyMap<string, readonly OwnedPlaces[]>,
  realm_uri: string | undefined,
  host: HostPattern,
): string[] {
  const others = [...documents.values()].flat().filter((owned) => {
    const theirs = hostOf(owned.places[0]?.host ?? '')
    const isOther = owned.realm_uri === undefined || owned.realm_uri !== realm_uri
    return isOther && theirs !== undefined && hostsOverlap(theirs, host)
  })
  return [...new Set(others.flatMap(({ places }) => places))]
    .map(({ api, path }) => `${api} ${path}`)
    .sort()
}

describe('the places of other realms', () => {
  it('are those of all documents on hosts that overlap, and forks leave those before them as they were', () => {
    let most = 0
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const documents = new Map<string, readonly OwnedPlaces[]>()
        let places = new RealmPlaces()
        const seen = (of: RealmPlaces, by: typeof documents) => {
          for (const realm_uri of realms) {
            for (const text of hosts) {
              const host = hostOf(text)
              if (host === undefined) continue
              const expected = wanted(by, realm_uri, host)
              most = Math.max(most, expected.length)
              expect(found(of, realm_uri, host), `${realm_uri} ${text}`).to.deep.equal(expected)
            }
          }
        }
        changes.forEach(({ id, owned }, at) => {
          const now = owned.map(({ realm_uri, host, patterns }, part): OwnedPlaces => {
            const placeOf = (pattern: string): Place => ({
              ...{ api: id, realm_uri: realm_uri ?? 'moved', host, pattern, routes: {} },
              path: `${at} ${part} ${pattern}`,
            })
            return { realm_uri, places: patterns.map(placeOf) }
          })
          const before = new Map(documents)
          const next = places.fork()
          next.replace(documents.get(id) ?? [], now)
          documents.set(id, now)
          seen(places, before)
          places = next
        })
        seen(places, documents)
      }),
      { numRuns: rounds(40, 1_000) },
    )
    expect(most).to.be.greaterThan(5)
  })
})
