/** Bodies and answers that are held for clients: how many bytes, and what happens beyond. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, post, RawClient } from './fixture.ts'

const text = (length: number) => JSON.stringify('a'.repeat(length))

/** Begins a body and sends some of it. */
const begin = (announced: number, sent: number) =>
  post('/v1/x', 'application/json', 'a'.repeat(announced)).subarray(0, sent)

describe('bytes that are held for clients', () => {
  let fixture: Fixture
  let budget: Quota
  let usage: LimitUsage
  const clients: RawClient[] = []

  const client = (address?: string) => {
    const opened = new RawClient(fixture.port, address)
    clients.push(opened)
    return opened
  }

  beforeEach(async () => {
    // 875,000 for each network
    budget = new Quota(4_000_000)
    usage = new LimitUsage()
    fixture = await open({ budget, usage })
  })

  afterEach(async () => {
    for (const one of clients.splice(0)) one.close()
    await fixture.stop()
  })

  it('are given back when the answer has left', async () => {
    const one = client()
    for (let count = 0; count < 5; count++) {
      one.send(post('/v1/x', 'application/json', text(400_000)))
      expect((await one.read()).status).to.equal(200)
    }
    await untilHolds(() => budget.used === 0)
    expect(budget.used).to.equal(0)
  })

  it('count as they arrive: what is announced and not sent takes nothing', async () => {
    client().send(begin(800_000, 1000))
    await untilHolds(() => budget.used > 0)
    expect(budget.used).to.be.lessThan(1000)
  })

  it('are refused beyond the share of a network with 503 and Retry-After, and others go on', async () => {
    client().send(begin(800_000, 700_000))
    await untilHolds(() => budget.used > 690_000)
    const next = client()
    next.send(post('/v1/x', 'application/json', text(300_000)))
    const refused = await next.read()
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '1'])
    const limit = usage.all.find(({ key }) => key === 'limits.buffered_bytes')
    expect(limit?.refused).to.equal(1)
    const other = client('127.0.0.2')
    other.send(post('/v1/x', 'application/json', text(300_000)))
    expect((await other.read()).status).to.equal(200)
  })

  it('are given back when the client goes in the middle of its body', async () => {
    const one = client()
    one.send(begin(800_000, 700_000))
    await untilHolds(() => budget.used > 690_000)
    one.close()
    await untilHolds(() => budget.used === 0)
    expect(budget.used).to.equal(0)
  })

  it('count when they are inflated, too', async () => {
    client().send(begin(800_000, 700_000))
    await untilHolds(() => budget.used > 690_000)
    const body = gzipSync(Buffer.from(text(300_000)))
    const next = client()
    next.send(post('/v1/x', 'application/json', body, ['Content-Encoding: gzip']))
    expect((await next.read()).status).to.equal(503)
  })

  it('are held by large answers until they are read', async () => {
    const unread: RawClient[] = []
    const pipeline60 = () => {
      const one = client()
      one.socket.pause()
      // more than the sockets' own buffers take
      for (let count = 0; count < 60; count++) {
        one.send(post('/v1/x', 'application/json', text(400_000)))
      }
      unread.push(one)
    }
    const ask = async () => {
      const next = client()
      next.send(post('/v1/x', 'application/json', text(600_000)))
      const { status } = await next.read()
      next.close()
      return status
    }
    pipeline60()
    await untilHolds(async () => {
      if ((await ask()) === 503) return true
      // a request of the 60 that came while this one was held was refused in its stead, which ends their connection
      if (budget.used === 0) pipeline60()
      return false
    })
    for (const one of unread) one.socket.resume()
    await untilHolds(() => budget.used === 0)
    expect(await ask()).to.equal(200)
  })

  it('are no more than 100 times what was sent: 413', async () => {
    await fixture.stop()
    fixture = await open()
    const body = gzipSync(Buffer.from(text(20_000_000)))
    const one = client()
    one.send(post('/v1/x', 'application/json', body, ['Content-Encoding: gzip']))
    const refused = await one.read()
    expect(refused.status).to.equal(413)
    expect(refused.body).to.include('100 times')
  })

  it('may be a million however well they are compressed', async () => {
    await fixture.stop()
    fixture = await open()
    const body = gzipSync(Buffer.from(text(900_000)))
    const one = client()
    one.send(post('/v1/x', 'application/json', body, ['Content-Encoding: gzip']))
    expect((await one.read()).status).to.equal(200)
  })
})
