/** What every store promises of answers under an Idempotency-Key: of many requests for one key, one takes it. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { KeyHold, KeyOwner, KeyRequest } from '#component/store/key-owner.ts'
import type { Place } from './store.contract.ts'

const hour = 3_600_000

/** A request whose process lives. */
const request = (scope: string, changes: Partial<KeyRequest> = {}): KeyRequest => ({
  ...{ scope, fingerprint: 'one', leaseMs: hour, keptMs: hour, takesUnknown: false },
  ...changes,
})

/** A request whose process has died. */
const dead = { leaseMs: 0 }

/** @param openPlace gives a place with nothing in it */
export function describeAnswers(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of answers`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await openPlace()
      store = await place.open()
    })
    afterEach(() => store.close())

    const take = (scope: string, changes?: Partial<KeyRequest>) =>
      store.answers.take(request(scope, changes))
    const kindOf = async (scope: string, changes?: Partial<KeyRequest>) =>
      (await take(scope, changes)).kind
    const hold = async (scope: string, changes?: Partial<KeyRequest>): Promise<KeyHold> => {
      const owner = await take(scope, changes)
      if (owner.kind !== 'taken') throw new Error(`${scope} is ${owner.kind}`)
      return owner.hold
    }
    const keep = (held: KeyHold, answer: string | undefined) => store.answers.keep(held, answer)

    it('gives a key to one of many requests, in one process or several', async () => {
      const other = await place.open()
      const asked: Promise<KeyOwner>[] = []
      for (let index = 0; index < 200; index += 1) {
        for (const each of [store, other, store]) {
          asked.push(each.answers.take(request(`key ${index % 50}`)))
        }
      }
      const kinds = (await Promise.all(asked)).map(({ kind }) => kind)
      await other.close()
      expect(kinds.filter((kind) => kind === 'taken')).to.have.length(50)
      expect(kinds.filter((kind) => kind === 'running')).to.have.length(550)
    })

    it('gives the answer of the first request to its repeats, also after it was opened again', async () => {
      await keep(await hold('a'), 'sealed')
      await keep(await hold('b'), undefined)
      const again = await place.open()
      expect(await again.answers.take(request('a'))).to.deep.equal({
        kind: 'answered',
        answer: 'sealed',
      })
      expect(await again.answers.take(request('b'))).to.deep.equal({ kind: 'done' })
      await again.close()
    })

    it('knows a key that is used for another request, whether or not the first one has ended', async () => {
      const first = await hold('a')
      expect(await kindOf('a', { fingerprint: 'two' })).to.equal('other')
      await keep(first, 'sealed')
      expect(await kindOf('a', { fingerprint: 'two' })).to.equal('other')
    })

    it('does not know what became of a request whose process has died', async () => {
      await hold('a', dead)
      expect(await kindOf('a')).to.equal('unknown')
      expect(await kindOf('a', { fingerprint: 'two', takesUnknown: true })).to.equal('other')
    })

    it('gives the key of a dead process to one of its repeats, where these may act again', async () => {
      await hold('a', dead)
      const asked = Array.from({ length: 20 }, () => kindOf('a', { takesUnknown: true }))
      const kinds = await Promise.all(asked)
      expect(kinds.filter((kind) => kind === 'taken')).to.have.length(1)
      expect(kinds.filter((kind) => kind === 'running')).to.have.length(19)
    })

    it('does not keep the answer of a request that has lost its key', async () => {
      const late = await hold('a', dead)
      const next = await hold('a', { takesUnknown: true })
      await keep(late, 'late')
      expect(await kindOf('a')).to.equal('running')
      await store.answers.release(late)
      expect(await kindOf('a')).to.equal('running')
      await keep(next, 'next')
      expect(await take('a')).to.deep.equal({ kind: 'answered', answer: 'next' })
    })

    it('keeps an answer that comes after its lease', async () => {
      const late = await hold('a', dead)
      await keep(late, 'late')
      expect(await take('a')).to.deep.equal({ kind: 'answered', answer: 'late' })
    })

    it('prolongs the lease of a request, and ends it', async () => {
      const held = await hold('a', dead)
      await store.answers.renew(held, hour)
      expect(await kindOf('a')).to.equal('running')
      await store.answers.renew(held, 0)
      expect(await kindOf('a')).to.equal('unknown')
    })

    it('gives a key to others after its request has given it back, or its time is over', async () => {
      await store.answers.release(await hold('a'))
      expect(await kindOf('a', { fingerprint: 'two' })).to.equal('taken')
      await keep(await hold('b', { keptMs: 0 }), 'sealed')
      expect(await kindOf('b', { fingerprint: 'two' })).to.equal('taken')
      await hold('c', { ...dead, keptMs: 0 })
      expect(await kindOf('c', { fingerprint: 'two' })).to.equal('taken')
    })

    it('removes what has expired and nothing else, and knows how much there is', async () => {
      await keep(await hold('expired', { keptMs: 0 }), 'sealed')
      await hold('dead', { ...dead, keptMs: 0 })
      await hold('running', { keptMs: 0 })
      const scopes = ['a', 'b', 'c', 'd']
      for (const [index, scope] of scopes.entries()) {
        await keep(await hold(scope, { keptMs: hour + index }), scope)
      }
      await store.answers.sweep()
      expect(store.answers.held).to.deep.equal({ rows: 5, bytes: 4 })
      const kinds = await Promise.all(['running', ...scopes].map((scope) => kindOf(scope)))
      expect(kinds).to.deep.equal(['running', 'answered', 'answered', 'answered', 'answered'])
      await store.answers.release(await hold('e'))
      expect(store.answers.held).to.deep.equal({ rows: 5, bytes: 4 })
      const other = await place.open()
      await other.answers.sweep()
      expect(other.answers.held).to.deep.equal({ rows: 5, bytes: 4 })
      await other.close()
    })

    it('takes no new key where there is no room, and answers those that it has', async () => {
      await keep(await hold('a'), 'sealed')
      await hold('b')
      const full = { mayBegin: false }
      expect(await kindOf('a', full)).to.equal('answered')
      expect(await kindOf('b', full)).to.equal('running')
      expect(await kindOf('a', { ...full, fingerprint: 'two' })).to.equal('other')
      expect(await kindOf('c', full)).to.equal('full')
      expect(await kindOf('c')).to.equal('taken')
    })
  })
}
