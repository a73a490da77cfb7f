/** When a forward gives up, and when it tries again. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { streamOf } from '#component/action/action.ts'
import type { Lookup } from '#component/action/connections/connector.ts'
import {
  answering,
  attempts,
  bodyOf,
  closeAll,
  closeUpstreams,
  failureOf,
  forwarder,
  perform,
  rawUpstream,
  upstream,
} from './upstreams.ts'

describe('forward in time', () => {
  afterEach(closeAll)

  it('answers a refused connection with bad_gateway and says so (164)', async () => {
    const host = await rawUpstream(() => {})
    closeUpstreams()
    const outcome = await perform({ host })
    expect(outcome).to.deep.equal({
      error: {
        error_uri: 'service.error.bad_gateway',
        args: [],
        kwargs: {
          code: 'service.error.bad_gateway',
          message: 'the connection to the upstream failed (ECONNREFUSED)',
          description: 'The upstream could not be reached or gave no valid response.',
        },
        details: {},
        status_code: 504,
        headers: {},
        body: '',
        uri: `http://${host}/things`,
      },
      reason: 'the connection to the upstream failed (ECONNREFUSED)',
      effect: 'none',
    })
  })

  it('answers a name that does not resolve with bad_gateway', async () => {
    const lookup: Lookup = (_name, _options, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    const outcome = await perform({ host: 'nowhere.example' }, {}, forwarder([], lookup))
    expect(outcome).to.have.nested.property(
      'error.kwargs.message',
      'the connection to the upstream failed (ENOTFOUND)',
    )
  })

  it('gives a connection up after connect_timeout, to the millisecond (159)', async () => {
    const lookup: Lookup = () => {}
    const started = performance.now()
    const outcome = await perform(
      { host: 'slow.example' },
      attempts({ connect_timeout: 120 }),
      forwarder([], lookup),
    )
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.timeout')
    expect(performance.now() - started).to.be.at.least(110)
  })

  it('gives an upstream up that does not answer within timeout', async () => {
    const host = await rawUpstream(() => {})
    const outcome = await perform({ host }, attempts({ timeout: 80 }))
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.timeout')
    expect(outcome).to.include({ effect: 'unknown' })
  })

  it('headers then silence: a timeout when an expression reads the body (169)', async () => {
    const host = await rawUpstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))
    const outcome = await perform({ host }, { readsBody: true, ...attempts({ timeout: 80 }) })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.timeout')
  })

  it('headers then silence: a streamed answer is destroyed (169)', async () => {
    const host = await rawUpstream(answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))
    const outcome = await perform({ host }, attempts({ timeout: 80 }))
    expect(outcome).to.have.nested.property('result.status_code', 200)
    expect(await failureOf(bodyOf(outcome))).to.have.property('uri', 'service.error.timeout')
  })

  it('destroys the answer of an upstream that dies in the middle', async () => {
    const host = await rawUpstream((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
        socket.end()
      })
    })
    const outcome = await perform({ host })
    expect(await failureOf(bodyOf(outcome))).to.have.property('uri', 'service.error.bad_gateway')
  })

  it('passes events on at once, for longer than timeout', async () => {
    const host = await upstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let count = 0; count < 12; count += 1) {
        response.write(`data: ${count}\n\n`)
        await new Promise((resolve) => setTimeout(resolve, 40))
      }
      response.end()
    })
    const outcome = await perform({ host }, attempts({ timeout: 300 }))
    const body = streamOf(outcome)
    if (!body) throw new TypeError('not streamed')
    const [first] = await once(body, 'data')
    expect(String(first)).to.equal('data: 0\n\n')
    expect((await text(body)).match(/data/g)).to.have.length(11)
  })

  it('lets a slow client be slow', async () => {
    const host = await upstream((_request, response) => {
      response.end(Buffer.alloc(8_000_000))
    })
    // the upstream is of this process, which may be busy for a while
    const outcome = await perform({ host }, attempts({ timeout: 400 }))
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(await bodyOf(outcome)).to.have.length(8_000_000)
  })
})

describe('forward retries', () => {
  afterEach(closeAll)

  /** Answers with these statuses in turn. */
  const answeringStatuses = async (...statuses: number[]) => {
    let count = 0
    const host = await upstream((request, response) => {
      request.resume()
      response.statusCode = statuses[count] ?? 200
      count += 1
      response.end(String(count))
    })
    return { host, count: () => count }
  }

  for (const [title, statuses, method, changes, expected] of [
    ['503 by GET', [503, 502, 504], 'get', {}, 4],
    ['503 by PUT', [503], 'put', {}, 2],
    ['503 by POST', [503], 'post', {}, 1],
    ['500 by GET', [500], 'get', {}, 1],
    ['503 for ever', [503, 503, 503, 503, 503], 'get', {}, 4],
    ['503 by PUT with a body of the client', [503], 'put', { isStreamed: true }, 2],
  ] as const) {
    it(`${title}: ${expected} ${expected === 1 ? 'request' : 'requests'}`, async () => {
      const { host, count } = await answeringStatuses(...statuses)
      const isStreamed = 'isStreamed' in changes
      const rawBody = isStreamed
        ? { stream: Readable.from([Buffer.from('x')]), length: 1 }
        : undefined
      const outcome = await perform({ host }, { method, rawBody, ...attempts({ retries: 3 }) })
      await bodyOf(outcome)
      expect(count()).to.equal(expected)
    })
  }

  it('a connection that failed, by any method, with an untouched stream', async () => {
    const { host } = await answeringStatuses(200)
    let lookups = 0
    const lookup: Lookup = (_name, _options, callback) => {
      lookups += 1
      if (lookups < 3) callback(Object.assign(new Error('later'), { code: 'EAI_AGAIN' }), [])
      else callback(null, [{ address: '127.0.0.1', family: 4 }])
    }
    const stream = Readable.from([Buffer.from('x')])
    const outcome = await perform(
      { host: `name.example:${host.split(':')[1]}` },
      { method: 'post', rawBody: { stream, length: 1 }, ...attempts({ retries: 3 }) },
      forwarder([], lookup),
    )
    expect(outcome).to.have.nested.property('result.status_code', 200)
    expect(lookups).to.equal(3)
  })

  it('nothing whose body undici still holds for a connection that never came', async () => {
    const stream = Readable.from([Buffer.from('x')])
    let lookups = 0
    const lookup: Lookup = () => {
      lookups += 1
    }
    const bounds = attempts({ timeout: 50, connect_timeout: 100, retries: 3 })
    const outcome = await perform(
      { host: 'slow.example' },
      { method: 'post', rawBody: { stream, length: 1 }, ...bounds },
      forwarder([], lookup),
    )
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.timeout')
    expect(lookups).to.equal(1)
  })

  for (const [method, expected] of [
    ['get', 3],
    ['post', 1],
  ] as const) {
    it(`a connection lost before the answer, by ${method}: ${expected}`, async () => {
      let count = 0
      const host = await rawUpstream((socket) => {
        socket.once('data', () => {
          count += 1
          socket.destroy()
        })
      })
      const outcome = await perform({ host }, { method, ...attempts({ retries: 2 }) })
      expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
      expect(count).to.equal(expected)
    })
  }
})
