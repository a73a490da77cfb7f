/** A router that dies, or goes silent, with calls open: every request is answered, in time, and then service resumes. */
import { expect } from 'chai'
import { until, untilHolds } from '#test/support/running/until.ts'
import { type Callee, openCallee } from './callees.ts'
import { type Area, describeArea, row } from './cases.ts'
import { calling, documentOf } from './documents.ts'
import { settledMemory } from './memory.ts'
import { type Line, openLine, openRouterProcess, type RouterProcess } from './routers.ts'
import { type Answer, ask, expectRefusal, get, jsonOf, RawClient } from './sockets.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const callTimeout = 500

/** What is called: one that answers, one that never does. */
async function lend(url: string): Promise<Callee> {
  const callee = await openCallee(url)
  await callee.register('com.t.ok', () => 'ok')
  await callee.register('com.t.nothing', () => undefined)
  await callee.register('com.t.nothing.within', () => ({ list: [undefined], gone: undefined }))
  await callee.register('com.t.never', () => new Promise(() => undefined))
  return callee
}

const document = documentOf(
  'com.t.a',
  {
    '/ok': { get: calling('com.t.ok'), timeout: callTimeout },
    '/nothing': { get: calling('com.t.nothing') },
    '/nothing-within': { get: calling('com.t.nothing.within') },
    '/never': { get: calling('com.t.never') },
  },
  '/v1',
  { pool_size: 2000 },
)

/** Asks until the call is answered again. */
async function untilServed({ port }: Area): Promise<void> {
  await until('the call is answered', async () => {
    const { status } = await ask(port, get('/v1/ok'))
    expect(status).to.be.oneOf([200, 404, 502, 503, 504])
    return status === 200
  })
}

/** What a call is told while the session is lost. */
const lost = row(174)

let router: RouterProcess
let line: Line

/** Settings of a gateway on a router of its own. */
async function startRouter(): Promise<Readonly<Record<string, string>>> {
  router = await openRouterProcess()
  return { 'wamp.url': router.url }
}

/** The same, with a line between them. */
async function startLine(): Promise<Readonly<Record<string, string>>> {
  await startRouter()
  line = await openLine(router.url)
  return { 'wamp.url': line.url }
}

describeArea(
  'wamp with a router that dies',
  startRouter,
  (area) => {
    let callee: Callee

    before(async () => {
      callee = await lend(area.gateway.routerUrl)
      await area.load(document)
      await untilServed(area)
    })
    after(() => router.kill())

    /** Opens so many calls and kills the router; the answers. */
    async function killWithOpen(count: number): Promise<Answer[]> {
      const clients = Array.from({ length: count }, () => new RawClient(area.port))
      const before = callee.invocations.length
      for (const client of clients) client.send(get('/v1/never'))
      await untilHolds(() => callee.invocations.length >= before + count)
      const answers = Promise.all(clients.map((client) => client.read()))
      await router.kill()
      const told = await answers
      for (const client of clients) client.close()
      return told
    }

    it('a result of undefined in CBOR is null, never 500 (as 180)', async () => {
      expect(await ask(area.port, get('/v1/nothing'))).to.include({ status: 200, body: 'null' })
      const within = await ask(area.port, get('/v1/nothing-within'))
      expect(within.status).to.equal(200)
      expect(jsonOf(within)).to.have.deep.property('list', [null])
    })

    async function restart(): Promise<void> {
      await router.restart()
      callee = await lend(area.gateway.routerUrl)
      await untilServed(area)
    }

    area.test(174, async (entry) => {
      for (const answer of await killWithOpen(1)) expectRefusal(answer, entry)
      await restart()
    })

    area.test(173, async (entry) => {
      const before = settledMemory().heap
      const answers = await killWithOpen(1000)
      expect(answers).to.have.length(1000)
      for (const answer of answers) expectRefusal(answer, entry)
      answers.length = 0
      await restart()
      const metrics = await ask(area.adminPort, get('/metrics', 'Connection: close'))
      expect(metrics.body).to.match(/^gateway_wamp_calls_in_flight 0$/m)
      await pause(0)
      expect(settledMemory().heap - before, 'growth of the heap').to.be.below(10_000_000)
    })
  },
  { notProblems: [] },
)

describeArea(
  'wamp over a line that goes dead',
  startLine,
  (area) => {
    before(async () => {
      await lend(router.url)
      await area.load(document)
      await untilServed(area)
    })
    after(async () => {
      line.stop()
      await router.kill()
    })

    area.test(
      177,
      async (entry) => {
        line.pause()
        const start = performance.now()
        expectRefusal(await ask(area.port, get('/v1/ok')), entry)
        expect(performance.now() - start).to.be.at.least(callTimeout - 50)

        let answer = await ask(area.port, get('/v1/ok'))
        await until('the link is given up', async () => {
          answer = await ask(area.port, get('/v1/ok'))
          return answer.status !== 504
        })
        for (let count = 0; count < 20; count++) {
          answer = await ask(area.port, get('/v1/ok'))
          expect(answer.status).to.equal(502)
          expect(jsonOf(answer)).to.have.property('code', lost.expected.code)
        }

        line.resume()
        await untilServed(area)
      },
      `a proxy that passes nothing, timeout ${callTimeout} ms`,
    )
  },
  { notProblems: [] },
)
