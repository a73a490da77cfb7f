/** The endpoints of users as they are kept: bounds, secrets that end, and what a removal leaves. */
import { expect } from 'chai'
import { EndpointBook } from '#component/delivery/endpoints/endpoint-book.ts'
import { Replica } from '#component/replica/replica.ts'
import { SecretBox } from '#component/secret-box.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

const day = 86_400_000
const ref = { realm_uri: 'com.example', api_spec: 'com.example.hooks', name: 'orders' }
const ownerOf = (authid: string, ...authroles: string[]) => ({
  ...{ authid, authroles },
  authmethod: 'basic',
})
const ada = ownerOf('ada', 'customers')
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** A book on a store of its own, whose time the test sets. */
async function bookWith(maxEndpoints = 100) {
  const clock = { time: 1_763_740_800_000, now: () => clock.time }
  const replica = new Replica({ store: new MemoryStore(), clock, node: 'n1', log })
  await replica.start()
  let drawn = 0
  const book = new EndpointBook({
    ...{ replica, clock, maxEndpoints, box: new SecretBox('a store key of the tests') },
    randomBytes(count) {
      drawn += 1
      return Buffer.alloc(count, drawn)
    },
  })
  book.start()
  const add = (url: string, { owner = ada, perUser = 2, at = ref } = {}) =>
    book.add({ ref: at, owner, url: `https://a.example/${url}`, perUser })
  const urls = () => book.all.map(({ url }) => new URL(url).pathname.slice(1)).sort()
  return { book, clock, replica, add, urls }
}

/** The error that a promise rejects with. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: { uri?: string }) => error.uri ?? error,
  )

describe('the book of endpoints', () => {
  it('keeps per_user where two adds at once want the last place', async () => {
    const { add, urls } = await bookWith()
    await add('one')
    const ends = await Promise.all([errorOf(add('two')), errorOf(add('three'))])
    expect(ends.sort()).to.deep.equal(['none', 'service.error.quota_exceeded'])
    expect(urls()).to.have.length(2)
  })

  it('makes one endpoint of two adds of one URL at once, and shows one secret', async () => {
    const { add, urls } = await bookWith()
    const added = await Promise.all([add('one'), add('one')])
    expect(new Set(added.map(({ endpoint }) => endpoint.endpoint)).size).to.equal(1)
    expect(added.filter(({ secret }) => secret !== undefined)).to.have.length(1)
    expect(urls()).to.deep.equal(['one'])
  })

  it('takes the roles of now for a URL that is there, also where per_user is full', async () => {
    const { add, book } = await bookWith()
    const { endpoint } = await add('one', { perUser: 1 })
    await add('one', { perUser: 1, owner: ownerOf('ada', 'partners') })
    expect(book.find(endpoint.endpoint)?.owner.authroles).to.deep.equal(['partners'])
  })

  it('removes none where per_user is lowered, and adds none until places are free', async () => {
    const { add, book, urls } = await bookWith()
    const { endpoint } = await add('one')
    await add('two')
    expect(await errorOf(add('three', { perUser: 1 }))).to.equal('service.error.quota_exceeded')
    expect(urls()).to.deep.equal(['one', 'two'])
    await book.remove(endpoint.endpoint)
    expect(await errorOf(add('three', { perUser: 1 }))).to.equal('service.error.quota_exceeded')
    await add('three')
    expect(urls()).to.deep.equal(['three', 'two'])
  })

  it('counts users and deliveries by themselves, and all of them for max_endpoints', async () => {
    const { add } = await bookWith(3)
    await add('one', { perUser: 1 })
    await add('one', { perUser: 1, owner: ownerOf('eve') })
    await add('one', { perUser: 1, at: { ...ref, name: 'returns' } })
    expect(await errorOf(add('one', { owner: ownerOf('bob') }))).to.equal(
      'service.error.unavailable',
    )
  })

  it('signs with the former secret for 24 hours, the newest first', async () => {
    const { add, book, clock } = await bookWith()
    const { endpoint, secret: first } = await add('one')
    const id = endpoint.endpoint
    await book.verified(id)
    const { secret: second } = await book.rotate(id, ada)
    clock.time += day - 1
    expect(book.secrets(id)).to.deep.equal([second, first])
    clock.time += 1
    expect(book.secrets(id)).to.deep.equal([second])
  })

  it('forgets the oldest secret where two rotations come within a day', async () => {
    const { add, book } = await bookWith()
    const id = (await add('one')).endpoint.endpoint
    const { secret: second } = await book.rotate(id, ada)
    const { secret: third } = await book.rotate(id, ada)
    expect(book.secrets(id)).to.deep.equal([third, second])
  })

  it('ends an endpoint that is unverified after a day, and frees its place', async () => {
    const { add, book, clock, urls } = await bookWith()
    const { endpoint } = await add('one', { perUser: 1 })
    clock.time += day - 1_000
    expect(urls()).to.deep.equal(['one'])
    clock.time += 1_000
    expect(urls()).to.deep.equal([])
    expect(book.find(endpoint.endpoint)).to.equal(undefined)
    expect(book.secrets(endpoint.endpoint)).to.deep.equal([])
    expect(await errorOf(book.verified(endpoint.endpoint))).to.equal('service.error.not_found')
    await add('two', { perUser: 1 })
    expect(urls()).to.deep.equal(['two'])
  })

  it('keeps a verified endpoint, also when it is rotated later', async () => {
    const { add, book, clock, urls } = await bookWith()
    const id = (await add('one')).endpoint.endpoint
    await book.verified(id)
    clock.time += 400 * day
    await book.rotate(id, ada)
    clock.time += 400 * day
    expect(urls()).to.deep.equal(['one'])
  })

  it('keeps no secret in the clear, nor under the id of another endpoint', async () => {
    const { add, book, replica } = await bookWith()
    const one = await add('one')
    const two = await add('two')
    const { secret } = await book.rotate(one.endpoint.endpoint, ada)
    const kept = JSON.stringify(replica.entries('endpoint').map(({ document }) => document))
    for (const text of [one.secret, two.secret, secret]) {
      expect(text).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(kept).not.to.include(text?.slice('whsec_'.length))
    }
    const entries = replica.entries('endpoint')
    const sealed = entries.find(({ document }) => document?.endpoint === two.endpoint.endpoint)
    await replica.change('endpoint', () =>
      entries
        .filter((entry) => entry !== sealed)
        .map(({ id, document }) => ({
          id,
          document: { ...document, sealed: sealed?.document?.sealed, former: undefined },
        })),
    )
    expect(book.secrets(one.endpoint.endpoint)).to.deep.equal([])
  })

  it('leaves nothing of a removed endpoint but a time, and tells each change', async () => {
    const { add, book, replica } = await bookWith()
    let told = 0
    book.onChange = () => {
      told += 1
    }
    const { endpoint } = await add('one')
    await book.remove(endpoint.endpoint)
    expect(told).to.equal(2)
    const [{ document } = { document: null }] = replica.entries('endpoint')
    expect(Object.keys(document ?? {})).to.deep.equal(['exp'])
    for (const gone of [
      book.remove(endpoint.endpoint),
      book.rotate(endpoint.endpoint, ada),
      book.verified(endpoint.endpoint),
    ]) {
      expect(await errorOf(gone)).to.equal('service.error.not_found')
    }
  })

  it('removes those of users and of realms, and of none beside', async () => {
    const { add, book, urls } = await bookWith()
    await add('ada')
    await add('eve', { owner: ownerOf('eve') })
    await add('other', { at: { ...ref, realm_uri: 'com.other' } })
    await book.removeOfUsers([{ realm_uri: 'com.example', authid: 'ada' }])
    expect(urls()).to.deep.equal(['eve', 'other'])
    await book.removeOfRealm('com.other')
    expect(urls()).to.deep.equal(['eve'])
  })
})
