/** Which requests are refused under pressure. */
import { expect } from 'chai'
import { InFlight } from '#component/in-flight.ts'
import { type Sheddable, Shedding } from '#http/limits/shedding.ts'

/** A request without a body, on a connection that has been answered before. */
const exchange = (change: Partial<Sheddable> = {}) => ({
  client: '192.0.2.1',
  hasBody: false,
  body: { length: undefined },
  transport: { isFirst: false },
  ...change,
})

describe('Shedding', () => {
  let now: number
  let inFlight: InFlight<Sheddable, true>
  let shedding: Shedding

  beforeEach(() => {
    now = 0
    inFlight = new InFlight()
    shedding = new Shedding({ now: () => now }, inFlight)
  })

  const dear: Record<string, Partial<Sheddable>> = {
    'the first request of a connection': { transport: { isFirst: true } },
    'a large body': { hasBody: true, body: { length: 65_537 } },
    'a body of unknown length': { hasBody: true },
  }
  for (const [title, change] of Object.entries(dear)) {
    it(`refuses ${title} when the process is strained`, () => {
      expect(shedding.refuses(exchange(change), 'none')).to.equal(false)
      expect(shedding.refuses(exchange(change), 'strained')).to.equal(true)
    })
  }

  it('serves a request without a body, or with a small one, until the pressure is full', () => {
    for (const change of [{}, { hasBody: true, body: { length: 65_536 } }]) {
      expect(shedding.refuses(exchange(change), 'strained')).to.equal(false)
      expect(shedding.refuses(exchange(change), 'full')).to.equal(true)
    }
  })

  it('refuses the networks that hold more than a quarter of the requests in flight, and no other', () => {
    for (let count = 0; count < 20; count++) inFlight.set(exchange({ client: '2001:db8::1' }), true)
    for (let count = 0; count < 16; count++) inFlight.set(exchange({ client: '192.0.2.9' }), true)
    expect(shedding.refuses(exchange({ client: '2001:db8::2' }), 'strained')).to.equal(true)
    expect(shedding.refuses(exchange({ client: '192.0.2.9' }), 'strained')).to.equal(false)
    for (const one of inFlight.keys()) inFlight.delete(one)
    now = 1000
    expect(shedding.refuses(exchange({ client: '2001:db8::2' }), 'strained')).to.equal(false)
  })

  it('counts what it has refused, by the first reason', () => {
    const first = { transport: { isFirst: true } }
    const large = { hasBody: true }
    for (const change of [first, large, { ...first, ...large }, {}]) {
      shedding.refuses(exchange(change), 'none')
      shedding.refuses(exchange(change), 'strained')
    }
    expect(shedding.counts).to.deep.equal({ connection: 2, body: 1, network: 0, all: 0 })
    shedding.refuses(exchange(), 'full')
    for (let count = 0; count < 20; count++) inFlight.set(exchange(), true)
    now = 1000
    shedding.refuses(exchange(), 'strained')
    expect(shedding.counts).to.deep.equal({ connection: 2, body: 1, network: 1, all: 1 })
  })

  it('serves a network that has many open streams', () => {
    const stream = { events: 0, reason: 'client' }
    for (let count = 0; count < 50; count++) inFlight.set(exchange({ stream }), true)
    for (let count = 0; count < 17; count++) inFlight.set(exchange({ client: '192.0.2.9' }), true)
    expect(shedding.refuses(exchange(), 'strained')).to.equal(false)
    expect(shedding.refuses(exchange({ client: '192.0.2.9' }), 'strained')).to.equal(true)
  })
})
