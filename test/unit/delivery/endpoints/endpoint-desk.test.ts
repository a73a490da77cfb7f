/** What users are told of their endpoints: the ping of `add`, and what becomes of the endpoint after it. */
import { expect } from 'chai'
import { EndpointBook } from '#component/delivery/endpoints/endpoint-book.ts'
import { EndpointDesk } from '#component/delivery/endpoints/endpoint-desk.ts'
import { endpointHosts } from '#component/delivery/endpoints/public-hosts.ts'
import type { AttemptEnd, Delivery } from '#component/delivery/types.ts'
import { SecretBox } from '#component/secret-box.ts'
import { nodeOf } from '#test/unit/replica/doubles.ts'

const ref = { realm_uri: 'com.example', api_spec: 'com.example.hooks', name: 'orders' }
const ada = { authid: 'ada', authmethod: 'basic', authroles: [] }
const url = 'https://a.example/hooks'

/** A desk whose pings end as the test says. */
async function deskWith(ping: (book: EndpointBook) => Promise<AttemptEnd>, mayHear = true) {
  const { replica, clock } = await nodeOf('n1')
  const box = new SecretBox('a store key of the tests')
  let drawn = 0
  const randomBytes = (count: number) => {
    drawn += 1
    return Buffer.alloc(count, drawn)
  }
  const book = new EndpointBook({ replica, clock, box, randomBytes, maxEndpoints: 10 })
  book.start()
  const delivery = {
    ...{ ...ref, topic: 'com.example.order', match: 'exact' },
    endpoints: { perUser: 2, ping: () => ping(book) },
  } as unknown as Delivery
  const desk = new EndpointDesk({
    ...{ book, clock, hosts: endpointHosts([]).listed, newId: () => '1' },
    declared: ({ name }) => (name === 'orders' ? delivery : undefined),
    outbox: () => ({ endpoints: async () => [] }),
    log: { info: () => undefined },
    mayHear: () => mayHear,
  })
  return { book, desk }
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: { uri?: string }) => error.uri ?? error,
  )

describe('the desk of endpoints', () => {
  for (const [status, state] of [
    [200, 'active'],
    [299, 'active'],
    [302, 'unverified'],
    [410, 'unverified'],
    [503, 'unverified'],
  ] as const) {
    it(`shows an endpoint as ${state} where its ping is answered with ${status}`, async () => {
      const { desk } = await deskWith(async () => ({ status }) as AttemptEnd)
      const added = await desk.add(ref, ada, url)
      expect(added).to.deep.include({ is_repeat: false, ping: { status } })
      expect(added.endpoint.state).to.equal(state)
      const again = await desk.add(ref, ada, url)
      expect(again).to.deep.include({ is_repeat: true, secret: null })
      expect(again.ping).to.deep.equal(state === 'active' ? null : { status })
    })
  }

  it('keeps an endpoint that does not answer, and removes one whose address is refused', async () => {
    for (const isRefused of [false, true]) {
      const end = { error: 'no response', isRefused } as unknown as AttemptEnd
      const { desk, book } = await deskWith(async () => end)
      const uri = await errorOf(desk.add(ref, ada, url))
      expect(uri).to.equal(isRefused ? 'wamp.error.invalid_argument' : 'none')
      expect(book.all).to.have.length(isRefused ? 0 : 1)
    }
  })

  it('does not bring back an endpoint that is removed while its ping is under way', async () => {
    const { desk, book } = await deskWith(async (its) => {
      await its.remove(its.all[0]?.endpoint ?? '')
      return { status: 200 } as AttemptEnd
    })
    expect(await errorOf(desk.add(ref, ada, url))).to.equal('service.error.not_found')
    expect(book.all).to.deep.equal([])
  })

  it('adds nothing for a user who may not subscribe, nor at a delivery without users', async () => {
    const { desk, book } = await deskWith(async () => ({ status: 200 }) as AttemptEnd, false)
    expect(await errorOf(desk.add(ref, ada, url))).to.equal('wamp.error.not_authorized')
    const other = { ...ref, name: 'returns' }
    expect(await errorOf(desk.add(other, ada, url))).to.equal('service.error.not_found')
    expect(book.all).to.deep.equal([])
  })

  it('lets users see, rotate and remove their own endpoints only', async () => {
    const { desk, book } = await deskWith(async () => ({ status: 200 }) as AttemptEnd)
    const { id } = (await desk.add(ref, ada, url)).endpoint
    const eve = { ...ada, authid: 'eve' }
    expect((await desk.list(ref, eve)).endpoints).to.deep.equal([])
    expect(await errorOf(desk.rotate(ref, eve, id))).to.equal('service.error.not_found')
    expect(await errorOf(desk.remove(ref, eve, id))).to.equal('service.error.not_found')
    expect(book.all).to.have.length(1)
    expect((await desk.list(ref, ada)).endpoints).to.have.length(1)
  })
})
