/** What every store promises of kept logins: one process asks about one, and what is too old or too much goes. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { LoginRow } from '#component/store/tables.ts'
import type { Place } from './store.contract.ts'

const now = 1_763_740_800_000

const rowOf = (ticket: string, changes: Partial<LoginRow> = {}): LoginRow => ({
  ...{ ticket, sealed: `tokens of ${ticket}`, created_at: now, checked_at: now },
  ...{ lease_until: 0, expires_at: now + 1_000 },
  ...{ user_id: null, subject_id: null, session_id: null },
  ...changes,
})

/** @param openPlace gives a place with nothing in it */
export function describeLogins(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of logins at providers`, () => {
    let store: Store
    beforeEach(async () => {
      store = await (await openPlace()).open()
    })
    afterEach(() => store.close())

    const left = async (...tickets: readonly string[]) => {
      const found = await Promise.all(tickets.map((ticket) => store.logins.find(ticket)))
      return found.map((row) => row?.ticket)
    }

    it('finds a login as it was kept first, until it is removed', async () => {
      await store.logins.keep(rowOf('a'))
      await store.logins.keep(rowOf('a', { sealed: 'other' }))
      expect(await store.logins.find('a')).to.deep.equal(rowOf('a'))
      await store.logins.remove('a')
      expect(await left('a')).to.deep.equal([undefined])
    })

    it('leases a login to one of many processes, and again when the lease has ended', async () => {
      await store.logins.keep(rowOf('a'))
      const lease = (at: number) => store.logins.lease('a', now, at, at + 30)
      const got = await Promise.all(Array.from({ length: 8 }, () => lease(now)))
      expect(got.filter(Boolean)).to.have.length(1)
      expect([await lease(now + 29), await lease(now + 30)]).to.deep.equal([false, true])
    })

    it('leases no login that was checked since, or is not there', async () => {
      await store.logins.keep(rowOf('a'))
      await store.logins.update('a', { sealed: 'next', checked_at: now + 1 })
      expect(await store.logins.lease('a', now, now + 2, now + 3)).to.equal(false)
      expect(await store.logins.lease('b', now, now + 2, now + 3)).to.equal(false)
      const next = rowOf('a', { sealed: 'next', checked_at: now + 1 })
      expect(await store.logins.find('a')).to.deep.equal(next)
    })

    it('removes the logins that a revocation ends, as far as they have begun by then', async () => {
      const ofAda = { user_id: 'user:ada', subject_id: 'subject:1' }
      await store.logins.keep(rowOf('a', { ...ofAda, session_id: 'session:1' }))
      await store.logins.keep(rowOf('b', { ...ofAda, session_id: 'session:2' }))
      await store.logins.keep(rowOf('later', { ...ofAda, created_at: now + 1 }))
      await store.logins.keep(rowOf('other', { user_id: 'user:bob', subject_id: 'subject:2' }))
      await store.logins.removeEnded('session:1', Number.MAX_SAFE_INTEGER)
      expect(await left('a', 'b', 'later')).to.deep.equal([undefined, 'b', 'later'])
      await store.logins.removeEnded('subject:1', now)
      expect(await left('b', 'later', 'other')).to.deep.equal([undefined, 'later', 'other'])
      await store.logins.removeEnded('user:ada', now + 1)
      expect(await left('later', 'other')).to.deep.equal([undefined, 'other'])
    })

    it('forgets logins whose tickets have ended, and the oldest above the limit', async () => {
      await store.logins.keep(rowOf('ended', { expires_at: now }))
      for (const [index, ticket] of ['a', 'b', 'c'].entries()) {
        await store.logins.keep(rowOf(ticket, { created_at: now + index }))
      }
      await store.logins.sweep(now, 2)
      expect(await left('ended', 'a', 'b', 'c')).to.deep.equal([undefined, undefined, 'b', 'c'])
    })
  })
}
