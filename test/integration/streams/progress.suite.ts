/** What clients see of a call whose progressive results are streamed, whoever the callee is and on whichever router. */
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { until } from '#test/support/running/until.ts'
import type { ProgressCallee, StartCallee } from './progress-callees.ts'

const realm = 'com.example.test'

const operation = (procedure: string, action: object = {}) => ({
  action: {
    type: 'wamp_call',
    procedure,
    args: ['{{request.query_params |> get(n, 3) |> integer}}'],
    ...action,
  },
  response: {
    on_progress: { event: 'part', body: '{{action.progress.args |> head}}' },
    on_result: { body: '{{action.result.args |> head}}' },
    on_error: { body: { code: '{{action.error.error_uri}}' } },
  },
})

const document = {
  id: 'com.example.pieces',
  host: '_',
  realm_uri: realm,
  versions: {
    '1': {
      base_path: '/pieces',
      paths: {
        '/count': { get: operation('com.example.pieces.count') },
        '/fail': { post: operation('com.example.pieces.fail') },
        '/hang': { get: operation('com.example.pieces.hang', { timeout: 20_000 }) },
        '/interrupted': { get: operation('com.example.pieces.interrupted', { args: [] }) },
        '/late': { get: operation('com.example.pieces.hang', { progress_timeout: 100 }) },
        '/long': { get: operation('com.example.pieces.hang', { max_duration: 300 }) },
      },
    },
  },
}

/** All events until the end. */
async function all(stream: EventStream) {
  const events: (readonly [id: string | undefined, event: string | undefined, data: unknown])[] = []
  for (;;) {
    const event = await stream.next().catch(() => undefined)
    if (event === undefined) return events
    events.push([event.id, event.event, JSON.parse(event.data)])
  }
}

/** Reads up to a piece. */
async function piece(stream: EventStream, id: string): Promise<void> {
  while ((await stream.next()).id !== id);
}

const parts = (count: number) =>
  Array.from({ length: count }, (_, at) => [String(at + 1), 'part', at + 1])

/** The port of a router. */
const portOf = (url: string): number => Number(new URL(url).port)

/** The same address at another port. */
const at = (url: string, port: number): string => {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/**
 * Adds the tests.
 * @param start the callee
 * @param isInterrupted whether it announces `call_canceling`, and tells by com.example.pieces.interrupted how often that came
 */
export function describeProgress(name: string, start: StartCallee, isInterrupted = false): void {
  describe(`progressive results of ${name}`, () => {
    let router: TestRouter
    let toRouter: TcpProxy
    let toCallee: TcpProxy
    let gateway: TestGateway
    let callee: ProgressCallee

    before(async () => {
      router = await openRouter()
      toRouter = await TcpProxy.open(portOf(router.url))
      toCallee = await TcpProxy.open(portOf(router.url))
      gateway = await startGateway({ 'wamp.url': at(router.url, toRouter.port) })
      await gateway.mustLoad(document)
    })
    beforeEach(async () => {
      toCallee.heal()
      toRouter.heal()
      callee = await start(at(router.url, toCallee.port), realm)
      await until('the callee is called', async () => {
        const { status } = await send(gateway.url, '/pieces/count?n=0')
        return status === 200
      })
    })
    afterEach(() => callee.close())
    after(async () => {
      await gateway.stop()
      await toRouter.close()
      await toCallee.close()
      await router.stop()
    })

    const open = (path: string, method = 'GET') =>
      openEventStream(`${gateway.url}/pieces${path}`, { method })

    for (const count of [0, 1, 1000]) {
      it(`${count} pieces arrive in order, then the result`, async () => {
        const stream = await open(`/count?n=${count}`)
        expect(stream.status).to.equal(200)
        expect(await all(stream)).to.deep.equal([
          ...parts(count),
          [String(count + 1), 'result', 'end'],
        ])
        expect(await stream.ended).to.equal(true)
        expect(stream.errors).to.deep.equal([])
      })
    }

    it('JSON from the same route is one answer, without progress', async () => {
      const { status, headers, text } = await send(gateway.url, '/pieces/count?n=3')
      expect([status, text]).to.deep.equal([200, '"end"'])
      expect(headers['content-type']).to.equal('application/json')
    })

    it('callee answers ERROR after 3 pieces: event error with the body of on_error; status stays 200', async () => {
      const stream = await open('/fail?n=3', 'POST')
      expect(stream.status).to.equal(200)
      const error = ['4', 'error', { code: 'com.example.broken' }]
      expect(await all(stream)).to.deep.equal([...parts(3), error])
      expect(await stream.ended).to.equal(true)
    })

    it('callee answers ERROR before the first piece: its status and on_error', async () => {
      const stream = await open('/fail?n=0', 'POST')
      await stream.ended
      expect([stream.status, JSON.parse(stream.text)]).to.deep.equal([
        500,
        { code: 'com.example.broken' },
      ])
    })

    it('callee killed after 3 pieces: event error', async () => {
      const stream = await open('/hang?n=3')
      await piece(stream, '3')
      toCallee.cut()
      const [[id, event] = []] = await all(stream)
      expect([id, event]).to.deep.equal(['4', 'error'])
      expect(await stream.ended).to.equal(true)
    })

    it('session lost: error wamp.error.net_failure in the stream', async () => {
      const stream = await open('/hang?n=3')
      await piece(stream, '3')
      toRouter.cut()
      const error = ['4', 'error', { code: 'wamp.error.net_failure' }]
      expect(await all(stream)).to.deep.equal([error])
    })

    it('progress_timeout: error service.error.timeout', async () => {
      const error = ['3', 'error', { code: 'service.error.timeout' }]
      expect(await all(await open('/late?n=2'))).to.deep.equal([...parts(2), error])
    })

    it('max_duration: error service.error.timeout', async () => {
      const error = ['3', 'error', { code: 'service.error.timeout' }]
      expect(await all(await open('/long?n=2'))).to.deep.equal([...parts(2), error])
    })

    it('client goes: no piece is delivered to a later call', async () => {
      const stream = await open('/hang?n=2')
      await stream.next()
      stream.close()
      expect(await all(await open('/count?n=2'))).to.deep.equal([
        ...parts(2),
        ['3', 'result', 'end'],
      ])
    })

    if (!isInterrupted) return

    it('client goes: CANCEL, which the callee sees as INTERRUPT', async () => {
      const interrupted = async () => Number((await send(gateway.url, '/pieces/interrupted')).text)
      const before = await interrupted()
      const stream = await open('/hang?n=2')
      await stream.next()
      stream.close()
      await until('the callee is interrupted', async () => (await interrupted()) > before)
    })
  })
}
