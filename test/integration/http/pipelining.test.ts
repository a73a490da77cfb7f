/** Pipelined requests: how many of a connection are served at once, and what becomes of the rest. */
import { expect } from 'chai'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import { ownPath } from '#component/metrics/place.ts'
import type { HttpPorts } from '#http/server.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, RawClient } from './fixture.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

const answerOf = ({ path }: Exchange): Reply => ({
  status: 200,
  headers: {},
  body: { kind: 'value', value: path, type: 'application/json' },
})

describe('pipelined requests', () => {
  let fixture: Fixture
  let client: RawClient
  /** Requests that have reached the gateway, by path; each waits until it is released. */
  let begun: string[]
  let waiting: (() => void)[]
  let isReleased: boolean

  const release = () => {
    isReleased = true
    for (const go of waiting.splice(0)) go()
  }

  const start = async (change: Partial<HttpPorts> = {}) => {
    begun = []
    waiting = []
    isReleased = false
    fixture = await open({
      gateway: {
        async handle(exchange) {
          exchange.served = ownPath(exchange.path)
          begun.push(exchange.path)
          if (!isReleased && exchange.path !== '/quick') {
            await new Promise<void>((resolve) => waiting.push(resolve))
          }
          return answerOf(exchange)
        },
      },
      ...change,
    })
    client = new RawClient(fixture.port)
  }

  afterEach(async () => {
    client.close()
    release()
    await fixture.stop()
  })

  /** Requests of another client that are answered: whatever could happen meanwhile has happened. */
  const othersAreServed = async () => {
    for (let count = 0; count < 20; count++) {
      const other = new RawClient(fixture.port)
      other.send(get('/quick'))
      expect((await other.read()).status).to.equal(200)
      other.close()
    }
  }

  const paths = Array.from({ length: 500 }, (_, index) => `/${index}`)
  const unanswered = () => begun.filter((path) => path !== '/quick').length

  it('are begun up to 32, and go on in order as answers leave', async () => {
    await start()
    client.send(paths.map(get).join(''))
    await untilHolds(() => unanswered() >= 32)
    await othersAreServed()
    expect(unanswered()).to.equal(32)
    release()
    for (const path of paths) expect((await client.read()).body).to.equal(`"${path}"`)
    // the connection is parsed request by request from then on
    client.send(paths.map(get).join(''))
    for (const path of paths) expect((await client.read()).body).to.equal(`"${path}"`)
    client.send(get('/later'))
    expect((await client.read()).body).to.equal('"/later"')
  })

  it('are not begun any more when their client has gone', async () => {
    await start()
    client.send(paths.map(get).join(''))
    await untilHolds(() => unanswered() >= 32)
    client.socket.resetAndDestroy()
    await othersAreServed()
    release()
    await untilHolds(() => fixture.listeners.inFlight === 0)
    await othersAreServed()
    expect(unanswered()).to.equal(32)
  })

  it('leave those of other connections their turn', async () => {
    await start()
    release()
    client.send(paths.map(get).join(''))
    for (const path of paths) expect((await client.read()).body).to.equal(`"${path}"`)
    begun.length = 0
    const flood = Array.from({ length: 20 }, () => new RawClient(fixture.port))
    const other = new RawClient(fixture.port)
    other.send(get('/other'))
    await other.read()
    for (const one of flood) one.send(paths.map(get).join(''))
    await untilHolds(() => begun.length > 20)
    other.send(get('/other'))
    await other.read()
    expect(begun.length).to.be.lessThan(flood.length * paths.length)
    for (const one of [...flood, other]) one.close()
  })

  it('wait in few bytes of a network: a connection with more is closed, and others go on', async () => {
    // 31,250 for each network
    const budget = new Quota(1_000_000)
    const usage = new LimitUsage()
    await start({ budget, usage })
    const flood = Array.from({ length: 2000 }, (_, index) => get(`/${index}`)).join('')
    const clients = [client, new RawClient(fixture.port), new RawClient(fixture.port)]
    // from here on the connections of the network are parsed request by request
    client.send(paths.map(get).join(''))
    await untilHolds(() => unanswered() >= 32)
    const [, within, beyond] = clients
    within?.send(paths.map(get).join(''))
    await untilHolds(() => unanswered() >= 64 && budget.used > 0)
    const waiting = budget.used
    beyond?.send(flood)
    await untilHolds(() => usage.all.some(({ refused }) => refused > 0))
    expect(usage.all.find(({ refused }) => refused > 0)?.key).to.equal('limits.buffered_bytes')
    await othersAreServed()
    expect(budget.used).to.equal(waiting)
    expect((await beyond?.read())?.status).to.equal(0)
    release()
    for (const path of paths) expect((await within?.read())?.body).to.equal(`"${path}"`)
    await untilHolds(() => budget.used === 0)
    for (const one of clients) one.close()
  })

  it('that wait are given back when their client goes', async () => {
    const budget = new Quota(64_000_000)
    await start({ budget })
    client.send(paths.map(get).join(''))
    await untilHolds(() => unanswered() >= 32)
    const next = new RawClient(fixture.port)
    next.send(paths.map(get).join(''))
    await untilHolds(() => budget.used > 0)
    next.close()
    await untilHolds(() => budget.used === 0)
  })

  it('are answered before a malformed one behind them is', async () => {
    await start()
    client.send(`${get('/first')}nonsense\r\n\r\n`)
    await untilHolds(() => unanswered() === 1)
    await othersAreServed()
    release()
    expect((await client.read()).body).to.equal('"/first"')
    const refused = await client.read()
    expect([refused.status, refused.isClosed]).to.deep.equal([400, true])
    expect((await client.read()).status).to.equal(0)
  })

  it('are answered before one behind them whose body is broken', async () => {
    await start()
    const broken =
      'POST /broken HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
    client.send(get('/first') + broken)
    await untilHolds(() => unanswered() === 2)
    await othersAreServed()
    waiting.shift()?.()
    expect((await client.read()).body).to.equal('"/first"')
    expect((await client.read()).status).to.equal(400)
  })

  it('that ask for an end of the connection are answered, whatever comes behind', async () => {
    await start()
    const last = 'GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    client.send(last + get('/behind'))
    await untilHolds(() => unanswered() === 1)
    release()
    expect((await client.read()).body).to.equal('"/last"')
    expect((await client.read()).status).to.equal(0)
    expect(begun).to.deep.equal(['/last'])
  })

  it('end where a WebSocket begins, which gets all that follows', async () => {
    const heads: Buffer[] = []
    await start({
      webSocket: { kind: 'embedded', accept: (_request, _socket, head) => void heads.push(head) },
    })
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    client.send(`GET /ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}one\r\n\r\ntwo\r\n\r\nthree`)
    await untilHolds(() => heads.length === 1)
    expect(String(heads[0])).to.equal('one\r\n\r\ntwo\r\n\r\nthree')
  })
})
