/** What becomes of a request whose target fails. */
import { expect } from 'chai'
import { closeAll, documentOf, type Handler, startTarget, startWith } from './upstreams.ts'

const unavailable: Handler = (_request, response) => {
  response.writeHead(503).end('away')
}
/** Reads the request, and ends the connection in place of an answer. */
const lost: Handler = (request) => {
  request.resume().once('end', () => request.socket.destroy())
}

/** An address where nobody listens: no program of the tests may have this port. */
const gone = (number = 1): string => `http://127.0.0.${number}:1`

describe('a forward to several targets', () => {
  afterEach(closeAll)

  for (const method of ['GET', 'PUT', 'POST']) {
    it(`goes to another one where nothing was sent: ${method}`, async () => {
      const bodies: string[] = []
      const target = await startTarget(async (request, response) => {
        bodies.push((await request.toArray()).join(''))
        response.end('ok')
      })
      const { url } = await startWith({
        it: { targets: [{ url: gone() }, { url: target.url }] },
      })
      const sent = method === 'GET' ? {} : { body: 'x'.repeat(100_000) }
      for (let count = 0; count < 8; count += 1) {
        const answer = await fetch(`${url}/v1/it`, { method, ...sent })
        expect([answer.status, await answer.text()]).to.deep.equal([200, 'ok'])
      }
      expect(bodies).to.deep.equal(Array.from({ length: 8 }, () => sent.body ?? ''))
    })
  }

  for (const [what, handler, method, status, times] of [
    ['a GET that is lost', lost, 'GET', 200, 1],
    ['a GET that is answered 503', unavailable, 'GET', 200, 1],
    ['a PUT with a body that is lost', lost, 'PUT', 200, 1],
    ['a POST that is lost', lost, 'POST', 504, 0],
    ['a POST that is answered 503', unavailable, 'POST', 503, 0],
  ] as const) {
    const whether = times > 0 ? 'is sent once more, to another one' : 'is never sent again'
    it(`${whether}: ${what}`, async () => {
      const [bad, good] = [await startTarget(handler), await startTarget()]
      const { url } = await startWith(
        { it: { targets: [{ url: bad.url, weight: 1000 }, { url: good.url }] } },
        documentOf({ retries: 2 }),
      )
      const body = method === 'GET' ? {} : { body: 'data' }
      const answer = await fetch(`${url}/v1/it`, { method, ...body })
      expect(answer.status).to.equal(status)
      expect([bad.asked.length, good.asked.length]).to.deep.equal([1, times])
    })
  }

  it('gives the answer of the last one where all fail', async () => {
    const targets = [await startTarget(unavailable), await startTarget(unavailable)]
    const { url } = await startWith({ it: { targets: targets.map((one) => ({ url: one.url })) } })
    const answer = await fetch(`${url}/v1/it`)
    expect([answer.status, await answer.text()]).to.deep.equal([503, 'away'])
    expect(targets.map(({ asked }) => asked.length)).to.deep.equal([1, 1])
  })

  it('tries no more others than `failover` says', async () => {
    const targets = [gone(1), gone(2), gone(3)].map((url) => ({ url }))
    const good = { url: (await startTarget()).url, weight: 1 }
    const heavy = targets.map((one) => ({ ...one, weight: 1000 }))
    for (const [failover, status] of [
      [0, 504],
      [2, 504],
      [3, 200],
    ] as const) {
      const { url } = await startWith({ it: { failover, targets: [...heavy, good] } })
      expect((await fetch(`${url}/v1/it`)).status).to.equal(status)
    }
  })

  it('tries no other one after a timeout', async () => {
    const [slow, good] = [await startTarget(() => undefined), await startTarget()]
    const { url } = await startWith(
      { it: { targets: [{ url: slow.url, weight: 1000 }, { url: good.url }] } },
      documentOf({ timeout: 100 }),
    )
    expect((await fetch(`${url}/v1/it`)).status).to.equal(504)
    expect(good.asked).to.deep.equal([])
  })

  it('sends no more than its budget twice', async () => {
    const [bad, good] = [await startTarget(unavailable), await startTarget()]
    const targets = [{ url: bad.url, weight: 1000 }, { url: good.url }]
    const health = { failures: 1000 }
    const { url, adminUrl } = await startWith({ it: { targets, health, retry_budget: 0 } })
    const statuses: number[] = []
    for (let count = 0; count < 15; count += 1) {
      const { status } = await fetch(`${url}/v1/it`)
      statuses.push(status)
    }
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(10)
    expect(statuses.slice(10)).to.deep.equal([503, 503, 503, 503, 503])
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    const told = 'realm="com.example.test",upstream="it"'
    for (const line of [
      `gateway_upstream_failovers_total{${told}} 10`,
      `gateway_upstream_budget_exhausted_total{${told}} 5`,
      `gateway_upstream_target_state{${told},target="${bad.url}"} 0`,
      `gateway_upstream_target_pending{${told},target="${good.url}"} 0`,
      `gateway_upstream_attempts_total{${told},target="${bad.url}",outcome="failure"} 15`,
      `gateway_upstream_attempts_total{${told},target="${good.url}",outcome="success"} 10`,
    ]) {
      expect(metrics.split('\n')).to.include(line)
    }
  })

  it('sends nothing to one that has failed five times in a row', async () => {
    const [bad, good] = [await startTarget(unavailable), await startTarget()]
    const { url } = await startWith({
      it: { targets: [bad, good].map((one) => ({ url: one.url })) },
    })
    for (let count = 0; count < 30; count += 1) {
      expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
    }
    expect(bad.asked).to.have.lengthOf(5)
  })

  it('counts an open answer as under way until its end', async () => {
    const held: (() => void)[] = []
    const slow = await startTarget((_request, response) => {
      response.write('begun')
      held.push(() => response.end())
    })
    const other = await startTarget()
    const { url } = await startWith({
      it: { balance: 'least_pending', targets: [slow, other].map((one) => ({ url: one.url })) },
    })
    const answers: Response[] = []
    while (slow.asked.length === 0) answers.push(await fetch(`${url}/v1/it`))
    const before = other.asked.length
    for (let count = 0; count < 10; count += 1) await (await fetch(`${url}/v1/it`)).text()
    expect([slow.asked.length, other.asked.length - before]).to.deep.equal([1, 10])
    for (const end of held) end()
    for (const answer of answers) await answer.text()
  })
})
