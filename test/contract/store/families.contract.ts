/** What every store promises of families of refresh tokens: of many that use one token, one gets the next. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { Family, Rotation } from '#component/store/family-store.ts'
import type { Place } from './store.contract.ts'

/** When the tests begin. Milliseconds since the epoch. */
const start = 1_763_740_800_000
const graceMs = 10_000
const dayMs = 86_400_000

/** A family made at a time, never used. */
function familyOf(id: string, changes: Partial<Family> = {}): Family {
  const at = changes.created_at ?? start
  return {
    id,
    realm_uri: 'com.example',
    authid: 'joe',
    client_id: 'app',
    device_id: 'phone',
    scope: ['user', "it's"],
    authmethod: 'password',
    generation: 0,
    created_at: at,
    rotated_at: at,
    expires_at: at + dayMs,
    ...changes,
  }
}

const at = (ms: number) => ({ nowMs: start + ms, graceMs, expiresAtMs: start + ms + dayMs })

/** @param start gives a place with nothing in it */
export function describeFamilies(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of families`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await openPlace()
      store = await place.open()
    })
    afterEach(() => store.close())

    const create = (...families: readonly Family[]) =>
      Promise.all(families.map((family) => store.families.create(family, 25)))
    /** Which of these are there. */
    const those = async (...ids: readonly string[]) => {
      const found = await Promise.all(ids.map((id) => store.families.find(id)))
      return found.flatMap((family) => family?.id ?? [])
    }
    const kindsOf = (rotations: readonly Rotation[]) => rotations.map(({ kind }) => kind)

    it('gives a family back as it was', async () => {
      await create(familyOf('f'))
      expect(await store.families.find('f')).to.deep.equal(familyOf('f'))
      expect(await store.families.find('g')).to.equal(undefined)
    })

    it('refuses a request that waited while its successor was made, and keeps the family', async () => {
      await create(familyOf('f'))
      await store.families.rotate('f', 0, at(1000))
      await store.families.rotate('f', 1, at(20_000))
      const waited = { ...at(50_000), waitsSinceMs: start + 900 }
      expect(await store.families.rotate('f', 0, waited)).to.deep.equal({ kind: 'late' })
      expect((await store.families.find('f'))?.generation).to.equal(2)
      // what was made before the request could come is no excuse
      const later = { ...at(90_000), waitsSinceMs: start + 40_000 }
      expect(await store.families.rotate('f', 1, later)).to.deep.equal({ kind: 'reused' })
      expect(await those('f')).to.deep.equal([])
    })

    it('keeps a family once that is created twice, as after an end that nobody knows', async () => {
      await create(familyOf('f'))
      await store.families.rotate('f', 0, at(1))
      await create(familyOf('f'))
      expect(await store.families.find('f')).to.have.property('generation', 1)
    })

    it('keeps the families of one user that were used last', async () => {
      for (const [id, ms] of Object.entries({ a: 0, b: 1, c: 2 })) {
        await store.families.create(familyOf(id, { created_at: start + ms }), 3)
      }
      await store.families.rotate('a', 0, at(5))
      await store.families.create(familyOf('d', { created_at: start + 6 }), 3)
      expect(await those('a', 'b', 'c', 'd')).to.deep.equal(['a', 'c', 'd'])
      await store.families.create(familyOf('behind', { created_at: start - 60_000 }), 3)
      expect(await those('a', 'c', 'd', 'behind')).to.deep.equal(['a', 'd', 'behind'])
    })

    it('counts neither other users, nor other realms, nor what has expired', async () => {
      await create(
        familyOf('other user', { authid: 'ann' }),
        familyOf('other realm', { realm_uri: 'com.elsewhere' }),
        familyOf('live'),
        familyOf('expired', { created_at: start + 1, expires_at: start + 2 }),
      )
      await store.families.create(familyOf('new', { created_at: start + 2 }), 2)
      const all = ['other user', 'other realm', 'live', 'expired', 'new']
      expect(await those(...all)).to.deep.equal(all.filter((id) => id !== 'expired'))
    })

    it('holds to the most of one user when all log in at once, over several connections', async () => {
      const others = [store, await place.open()]
      const ids = Array.from({ length: 40 }, (_, index) => `f${index}`)
      const logins = ids.map((id, index) => others[index % 2]?.families.create(familyOf(id), 5))
      await Promise.all(logins)
      expect(await those(...ids)).to.have.length(5)
      await others[1]?.close()
    })

    describe('rotate', () => {
      const other = familyOf('other', { authid: 'ann' })
      beforeEach(() => create(familyOf('f'), other))

      it('gives the next generation, and a new end', async () => {
        const family = familyOf('f', {
          generation: 1,
          rotated_at: start + 5,
          expires_at: start + 5 + dayMs,
        })
        expect(await store.families.rotate('f', 0, at(5))).to.deep.equal({
          kind: 'rotated',
          family,
        })
        expect(await store.families.find('f')).to.deep.equal(family)
        expect(await store.families.find('other')).to.deep.equal(other)
      })

      it('says the same again to who asks again, and changes nothing by it', async () => {
        await store.families.rotate('f', 0, at(5))
        const family = await store.families.find('f')
        for (const ms of [5, 6, 5 + graceMs]) {
          expect(await store.families.rotate('f', 0, at(ms))).to.deep.equal({
            kind: 'repeated',
            family,
          })
        }
        expect(await store.families.find('f')).to.deep.equal(family)
      })

      for (const [what, generation, ms] of [
        ['what was used before the grace', 1, 6 + graceMs],
        ['what was used by a clock that was set back', 1, 4 - graceMs],
        ['what was used before the last one', 0, 6],
        ['what is not made yet, as when an old backup was restored', 3, 6],
      ] as const) {
        it(`removes the family for ${what}`, async () => {
          await store.families.rotate('f', 0, at(5))
          await store.families.rotate('f', 1, at(5))
          expect(await store.families.rotate('f', generation, at(ms))).to.deep.equal({
            kind: 'reused',
          })
          expect(await those('f', 'other')).to.deep.equal(['other'])
          for (const any of [1, 2]) {
            expect(await store.families.rotate('f', any, at(ms))).to.deep.equal({
              kind: 'unknown',
            })
          }
        })
      }

      it('knows no family that has expired, whichever of its tokens is used', async () => {
        await store.families.rotate('f', 0, at(5))
        for (const generation of [0, 1]) {
          expect(await store.families.rotate('f', generation, at(5 + dayMs))).to.deep.equal({
            kind: 'unknown',
          })
        }
        expect(await store.families.rotate('f', 1, at(4 + dayMs))).to.include({ kind: 'rotated' })
      })

      it('gives the next to one of 1,000 at once, and the same to all others', async () => {
        const others = [store, await place.open()]
        const rotations = await Promise.all(
          Array.from({ length: 1_000 }, (_, index) =>
            (others[index % 2] ?? store).families.rotate('f', 0, at(index % 100)),
          ),
        )
        const counts = Object.groupBy(kindsOf(rotations), (kind) => kind)
        expect(counts).to.have.keys('rotated', 'repeated')
        expect(counts.rotated).to.have.length(1)
        const families = rotations.map((one) => ('family' in one ? one.family : undefined))
        const family = await store.families.find('f')
        expect(family?.generation).to.equal(1)
        for (const other of families) expect(other).to.deep.equal(family)
        await others[1]?.close()
      })

      it('leaves nothing to those who race with a token that was used long ago', async () => {
        await store.families.rotate('f', 0, at(5))
        const late = at(6 + graceMs)
        const racers = [1, 0, 1, 0].map((generation) =>
          store.families.rotate('f', generation, late),
        )
        const kinds = kindsOf(await Promise.all(racers))
        expect(kinds).to.include('reused')
        expect(await those('f')).to.deep.equal([])
        expect(await store.families.rotate('f', 2, late)).to.deep.equal({ kind: 'unknown' })
      })
    })

    it('removes one, and says whether it was there', async () => {
      await create(familyOf('f'), familyOf('other'))
      expect(await store.families.remove('f')).to.equal(true)
      expect(await store.families.remove('f')).to.equal(false)
      expect(await those('f', 'other')).to.deep.equal(['other'])
    })

    it('removes all of a user, of a realm, and what has expired', async () => {
      const all = {
        joe: familyOf('joe'),
        'joe, again': familyOf('joe, again', { created_at: start + 3 }),
        'joe, too': familyOf('joe, too'),
        ann: familyOf('ann', { authid: 'ann' }),
        elsewhere: familyOf('elsewhere', { realm_uri: 'com.elsewhere' }),
        ended: familyOf('ended', { authid: 'eve', expires_at: start + 5 }),
      }
      await create(...Object.values(all))
      const there = () => those(...Object.keys(all))
      await store.families.removeExpired(start + 4)
      expect(await there()).to.deep.equal(Object.keys(all))
      await store.families.removeExpired(start + 5)
      expect(await there()).to.deep.equal(['joe', 'joe, again', 'joe, too', 'ann', 'elsewhere'])
      await store.families.removeOfUser('com.example', 'joe', start + 3)
      expect(await there()).to.deep.equal(['joe, again', 'ann', 'elsewhere'])
      await store.families.removeOfRealm('com.elsewhere')
      expect(await there()).to.deep.equal(['joe, again', 'ann'])
    })

    it('keeps the first value that is given to a name, of all that are given at once', async () => {
      const other = await place.open()
      const kept = await Promise.all(
        [store, other, store, other].map(({ meta }, index) => meta.keep('name', `${index}`)),
      )
      expect(new Set(kept).size).to.equal(1)
      expect(await store.meta.keep('name', 'late')).to.equal(kept[0])
      expect(await store.meta.keep('another', 'own')).to.equal('own')
      await other.close()
    })

    it('refuses everything after it was closed', async () => {
      await store.close()
      const { families, meta } = store
      for (const operation of [
        () => families.create(familyOf('f'), 25),
        () => families.find('f'),
        () => families.rotate('f', 0, at(0)),
        () => families.remove('f'),
        () => families.removeOfUser('com.example', 'joe', start),
        () => families.removeOfRealm('com.example'),
        () => families.removeExpired(start),
        () => meta.keep('name', 'value'),
      ]) {
        const error = await operation().catch((reason: unknown) => reason)
        expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
      }
    })
  })
}
