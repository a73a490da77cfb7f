/** What a load of the realm does to the targets that requests are under way at. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { untilHolds } from '#test/support/running/until.ts'
import { closeAll, startTarget, startWith } from './upstreams.ts'

/** A target that answers when it is told. */
async function heldTarget() {
  const held: ServerResponse[] = []
  const sockets = new Set<unknown>()
  const target = await startTarget((request, response) => {
    sockets.add(request.socket)
    held.push(response)
  })
  return { ...target, held, sockets }
}

describe('a load of the realm', () => {
  afterEach(closeAll)

  it('keeps the connections of targets that stay', async () => {
    const sockets = new Set<unknown>()
    const target = await startTarget((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    const of = (weight: number) => ({ it: { targets: [{ url: target.url, weight }] } })
    const { url, setUpstreams } = await startWith(of(1))
    for (const weight of [2, 3, 4]) {
      await (await fetch(`${url}/v1/it`)).text()
      await setUpstreams(of(weight))
    }
    await (await fetch(`${url}/v1/it`)).text()
    expect([target.asked.length, sockets.size]).to.deep.equal([4, 1])
  })

  it('keeps a target out that was out', async () => {
    const bad = await startTarget((_request, response) => response.writeHead(503).end())
    const good = await startTarget()
    const of = (weight: number) => ({
      it: { targets: [{ url: bad.url }, { url: good.url, weight }] },
    })
    const { url, setUpstreams } = await startWith(of(1))
    while (bad.asked.length < 5) await fetch(`${url}/v1/it`)
    await setUpstreams(of(2))
    for (let count = 0; count < 6; count += 1) await fetch(`${url}/v1/it`)
    expect(bad.asked).to.have.lengthOf(5)
  })

  it('ends no request that runs on a target which is removed', async () => {
    const old = await heldTarget()
    const next = await startTarget()
    const { url, setUpstreams } = await startWith({ it: { targets: [{ url: old.url }] } })
    const answers = [fetch(`${url}/v1/it`), fetch(`${url}/v1/it`, { method: 'POST', body: 'x' })]
    await untilHolds(() => old.held.length === 2)
    await setUpstreams({ it: { targets: [{ url: next.url }] } })
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
    expect(next.asked).to.have.lengthOf(1)
    for (const response of old.held) response.end('late')
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, await answer.text()]).to.deep.equal([200, 'late'])
    }
  })

  it('ends what runs on a removed target after `drain_timeout`', async () => {
    const old = await heldTarget()
    const { url, setUpstreams } = await startWith({
      it: { targets: [{ url: old.url }], drain_timeout: 0 },
    })
    const answer = fetch(`${url}/v1/it`)
    await untilHolds(() => old.held.length === 1)
    const socket = old.held[0]?.socket
    const closed = socket && once(socket, 'close')
    await setUpstreams({})
    expect((await answer).status).to.equal(504)
    await closed
  })

  it('closes the idle connections of a target that is removed', async () => {
    const target = await startTarget()
    const { url, setUpstreams } = await startWith({ it: { targets: [{ url: target.url }] } })
    await (await fetch(`${url}/v1/it`)).text()
    await setUpstreams({})
    const count = () => target.connections()
    await untilHolds(async () => (await count()) === 0)
  })
})

describe('a target with as many requests as it may have', () => {
  afterEach(closeAll)

  it('gets no more: another one does, and where all have as many the answer is 503', async () => {
    const [one, two] = [await heldTarget(), await heldTarget()]
    const targets = [{ url: one.url }, { url: two.url }]
    const { url } = await startWith({ it: { targets, max_pending: 1 } })
    const answers = [fetch(`${url}/v1/it`), fetch(`${url}/v1/it`)]
    await untilHolds(() => one.held.length + two.held.length === 2)
    expect([one.held.length, two.held.length]).to.deep.equal([1, 1])
    const refused = await fetch(`${url}/v1/it`)
    expect(await refused.json()).to.include({ error_uri: 'service.error.no_upstream_target' })
    for (const response of [...one.held, ...two.held]) response.end('ok')
    for (const answer of await Promise.all(answers)) await answer.text()
    const later = fetch(`${url}/v1/it`)
    await untilHolds(() => one.held.length + two.held.length === 3)
    for (const response of [...one.held, ...two.held]) response.end('ok')
    expect((await later).status).to.equal(200)
  })

  it('has no more connections than `connections` says; more requests wait', async () => {
    const target = await heldTarget()
    const { url } = await startWith({ it: { targets: [{ url: target.url }], connections: 1 } })
    const answers = [fetch(`${url}/v1/it`), fetch(`${url}/v1/it`)]
    await untilHolds(() => target.held.length === 1)
    target.held[0]?.end('first')
    await untilHolds(() => target.held.length === 2)
    target.held[1]?.end('second')
    expect((await Promise.all(answers)).map(({ status }) => status)).to.deep.equal([200, 200])
    expect(target.sockets.size).to.equal(1)
  })
})
