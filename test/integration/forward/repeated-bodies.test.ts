/** Retries of requests whose bodies are passed on as they come. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Run } from '#component/action/action.ts'
import { maxKeptBytes } from '#component/action/forward/repeatable-body.ts'
import { ServiceError } from '#component/errors.ts'
import { send } from '#test/support/http-request.ts'
import { recordedForwards } from './recorded.setup.ts'
import {
  attempts,
  bodyOf,
  closeAll,
  failureOf,
  forwarder,
  perform,
  rawUpstream,
  upstream,
} from './upstreams.ts'

type Answering = (request: IncomingMessage, response: ServerResponse) => unknown

const answer =
  (status: number): Answering =>
  (_request, response) =>
    response.writeHead(status).end()
const lose: Answering = (request) => request.socket.destroy()

/** An upstream that reads each body, and answers the first request as it is told, all others with 200. */
async function failing(first: Answering) {
  const bodies: string[] = []
  const host = await upstream(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (body) bodies.push(String(body))
    if (bodies.length === 1) first(request, response)
    else response.end()
  })
  return { host, bodies }
}

/** A body that is passed on unread. */
const streamed = (pieces: readonly string[], isChunked = false): NonNullable<Run['rawBody']> => ({
  stream: Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  ),
  length: isChunked ? undefined : pieces.join('').length,
})

const a = 'a'.repeat(maxKeptBytes)

/** How the first attempt ends, the method, pieces of the body, whether it is sent in chunks, and how often it arrives. */
const rows: readonly (readonly [
  title: string,
  first: Answering,
  method: Run['method'],
  pieces: readonly string[],
  isChunked: boolean,
  expected: number,
])[] = [
  ['a PUT after 503', answer(503), 'put', ['x'], false, 2],
  ['a PUT after 502', answer(502), 'put', ['x'], false, 2],
  ['a PUT after 504', answer(504), 'put', ['x'], false, 2],
  ['a PUT whose connection is lost', lose, 'put', ['x'], false, 2],
  ['a DELETE with a body', answer(503), 'delete', ['x', 'y'], false, 2],
  ['an OPTIONS with a body', answer(503), 'options', ['x'], false, 2],
  ['a GET with a body', answer(503), 'get', ['x'], false, 2],
  ['a PUT in chunks', answer(503), 'put', ['x', 'y', 'z'], true, 2],
  ['a PUT in chunks whose connection is lost', lose, 'put', ['x', 'y'], true, 2],
  ['chunks without a byte', answer(503), 'put', [], true, 2],
  ['the longest body that is kept', answer(503), 'put', [a], false, 2],
  ['chunks of that length', answer(503), 'put', ['b', a.slice(1)], true, 2],
  ['a longer body', answer(503), 'put', [a, 'a'], false, 1],
  ['a longer body whose connection is lost', lose, 'put', [a, 'a'], false, 1],
  ['longer chunks', answer(503), 'put', [a, 'a'], true, 1],
  ['longer chunks whose connection is lost', lose, 'put', [a, a], true, 1],
  ['a PUT after 500', answer(500), 'put', ['x'], false, 1],
  ['a PUT after 409', answer(409), 'put', ['x'], false, 1],
  ['a PUT after 200', answer(200), 'put', ['x'], false, 1],
  ['a POST after 503', answer(503), 'post', ['x'], false, 1],
  ['a POST whose connection is lost', lose, 'post', ['x'], false, 1],
  ['a PATCH after 503', answer(503), 'patch', ['x'], true, 1],
]

describe('retries of a body that is passed on as it comes', () => {
  afterEach(closeAll)

  for (const [title, first, method, pieces, isChunked, expected] of rows) {
    it(`${expected === 1 ? 'do not send again' : 'send again'}: ${title}`, async () => {
      const { host, bodies } = await failing(first)
      const rawBody = streamed(pieces, isChunked)
      const outcome = await perform({ host }, { method, rawBody, ...attempts({ retries: 3 }) })
      if (outcome.answer) await bodyOf(outcome)
      expect(bodies).to.deep.equal(Array(expected).fill(pieces.join('')))
      if (expected === 2) expect(outcome).to.have.nested.property('result.status_code', 200)
    })
  }

  it('do not follow where there are none', async () => {
    const { host, bodies } = await failing(answer(503))
    await bodyOf(await perform({ host }, { method: 'put', rawBody: streamed(['x']) }))
    expect(bodies).to.have.length(1)
  })

  it('go by the method of the upstream', async () => {
    const { host, bodies } = await failing(answer(503))
    const changes = { method: 'post', ...attempts({ retries: 1 }) } as const
    const fields = { host, http_method: 'put' }
    await bodyOf(await perform(fields, { ...changes, rawBody: streamed(['x']) }))
    expect(bodies).to.deep.equal(['x', 'x'])
  })

  it('end after as many as are declared', async () => {
    let count = 0
    const host = await rawUpstream((socket) => {
      socket.once('data', () => {
        count += 1
        socket.destroy()
      })
    })
    const rawBody = streamed(['x'])
    const outcome = await perform({ host }, { method: 'put', rawBody, ...attempts({ retries: 2 }) })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
    expect(count).to.equal(3)
    expect('stream' in rawBody && rawBody.stream.destroyed).to.equal(true)
  })

  for (const method of ['put', 'post'] as const) {
    it(`send a ${method.toUpperCase()} whose connections were refused`, async () => {
      const server = createServer()
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      server.close()
      await once(server, 'close')
      const later = createServer(async (request, response) => response.end(await buffer(request)))
      let lookups = 0
      const action = forwarder([], (_name, _options, callback) => {
        lookups += 1
        const found = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
        if (lookups === 2) later.listen(port, '127.0.0.1', found)
        else found()
      })
      const bounds = attempts({ retries: 3 })
      const host = `name.example:${port}`
      const rawBody = streamed(['x', 'y'])
      const outcome = await perform({ host }, { method, rawBody, ...bounds }, action)
      expect(await bodyOf(outcome)).to.equal('xy')
      expect(lookups).to.equal(2)
      later.close()
      later.closeAllConnections()
    })
  }

  it('send what had passed, and then what comes after it', async () => {
    const stream = new PassThrough()
    const bodies: string[] = []
    const host = await upstream(async (request, response) => {
      if (bodies.length === 0) {
        // answers before the body is complete
        const [piece] = await once(request, 'data')
        bodies.push(String(piece))
        response.writeHead(503, { connection: 'close' }).end()
      } else {
        stream.end('y')
        bodies.push(String(await buffer(request)))
        response.end()
      }
    })
    stream.write('x')
    const rawBody = { stream, length: 2 }
    const outcome = await perform({ host }, { method: 'put', rawBody, ...attempts({ retries: 1 }) })
    expect(outcome).to.have.nested.property('result.status_code', 200)
    expect(bodies).to.deep.equal(['x', 'xy'])
  })

  it('give an answer before the end of the body, and read the rest of it', async () => {
    const stream = new PassThrough()
    const host = await upstream((request, response) => {
      request.once('data', () => response.writeHead(200).write('o'))
      request.on('end', () => response.end('k'))
    })
    stream.write('x')
    const rawBody = { stream, length: 2 }
    const outcome = await perform({ host }, { method: 'put', rawBody, ...attempts({ retries: 1 }) })
    stream.end('y')
    expect(await bodyOf(outcome)).to.equal('ok')
  })

  it('drop the rest of a body whose answer ends the connection', async () => {
    const stream = new PassThrough()
    const host = await upstream((request, response) => {
      request.once('data', () => response.writeHead(400, { connection: 'close' }).end())
    })
    stream.write('x')
    const rawBody = { stream, length: 2 }
    const closed = once(stream, 'close')
    const outcome = await perform({ host }, { method: 'put', rawBody, ...attempts({ retries: 1 }) })
    expect(outcome).to.have.nested.property('error.status_code', 400)
    await bodyOf(outcome)
    await closed
  })

  it('refuse a request whose body passes a limit between two attempts', async () => {
    const stream = new PassThrough()
    const tooLarge = new ServiceError('service.error.payload_too_large', 'too large')
    const host = await upstream((request, response) => {
      request.once('data', () => {
        response.writeHead(503, { connection: 'close' }).end()
        response.once('close', () => stream.destroy(tooLarge))
      })
    })
    stream.write('x')
    const rawBody = { stream, length: undefined }
    const bounds = attempts({ retries: 1 })
    const failure = await failureOf(perform({ host }, { method: 'put', rawBody, ...bounds }))
    expect(failure).to.equal(tooLarge)
  })
})

describe('retries of a body through the gateway', () => {
  const headers = { 'content-type': 'application/json' }
  const body = '{"x": 1.0}'
  const checks = {
    accepts: ['application/json'],
    request: { body: { properties: { x: { type: 'integer' } } } },
  }
  const paths = { '/passed-on': {}, '/checked': checks, '/once': { idempotency: { ttl: 60 } } }
  const recorded = recordedForwards((host) => {
    const action = { type: 'forward', host, retries: 2, retry_timeout: 5000 }
    const operation = { action, response: { on_result: {}, on_error: {} } }
    const withAll = (changes: object) => {
      const both = { ...operation, ...changes }
      return { put: both, post: both }
    }
    return {
      ...{ id: 'com.example.again', host: '_', realm_uri: 'com.example.test' },
      versions: {
        1: {
          base_path: '/v1',
          paths: Object.fromEntries(
            Object.entries(paths).map(([path, changes]) => [path, withAll(changes)]),
          ),
        },
      },
    }
  })

  for (const path of Object.keys(paths)) {
    for (const framing of ['content-length', 'transfer-encoding']) {
      for (const [method, expected] of [
        ['PUT', 2],
        ['POST', 1],
      ] as const) {
        it(`${method} ${path} with ${framing} arrives ${expected} times`, async () => {
          const { gateway, upstream } = recorded()
          upstream.statuses.splice(0, 9, 503)
          const framed = framing === 'content-length' ? String(body.length) : 'chunked'
          const key = { 'idempotency-key': `"${method} ${framing}"` }
          const { status } = await send(gateway.url, `/v1${path}`, {
            ...{ method, body, headers: { ...headers, ...key, [framing]: framed } },
          })
          expect(status).to.equal(expected === 2 ? 200 : 503)
          const bodies = upstream.take().map(({ body }) => String(body))
          expect(bodies).to.deep.equal(Array(expected).fill(body))
        })
      }
    }
  }
})
