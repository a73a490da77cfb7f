/** Connections on which nothing happens: how long they are kept, and whose clients are given up. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import { pipelinedBytes } from '#http/limits/held-bytes.ts'
import { stuckAfter } from '#http/limits/idle-connections.ts'
import { Pipeline, pipelineOf } from '#http/limits/pipeline.ts'
import { listen } from '#http/node-server.ts'
import { Http1 } from '#http/transport/http1.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, options, post, RawClient } from './fixture.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
/** A response larger than the buffers of the kernel: the process keeps what the client does not read. */
const large = JSON.stringify('x'.repeat(12_000_000))

describe('a connection without traffic', () => {
  let fixture: Fixture
  let client: RawClient
  /** Of the gateway listener, and its side of the connection. */
  let server: Server
  let socket: Socket

  const start = async (keep_alive_timeout: number) => {
    fixture = await open({
      options: { ...options, limits: { ...options.limits, keep_alive_timeout } },
      listen: (opened, address, face) => {
        if (face === 'gateway') server = opened
        return listen(opened, address)
      },
    })
    const accepted = once(server, 'connection')
    client = new RawClient(fixture.port)
    ;[socket] = (await accepted) as [Socket]
  }

  afterEach(async () => {
    client.close()
    await fixture.stop()
  })

  it('is closed limits.keep_alive_timeout and a second after its last response', async () => {
    await start(1)
    client.send(get('/v1/x'))
    expect((await client.read()).status).to.equal(200)
    expect((await client.read()).status).to.equal(0)
    expect(socket.destroyed).to.equal(true)
  })

  it('is kept for the next request until then', async () => {
    await start(60_000)
    for (const path of ['/v1/x', '/v1/bug', '/v1/unknown', '/v1/x']) {
      client.send(get(path))
      await client.read()
      expect(socket.timeout).to.equal(61_000)
    }
  })

  it('has no time limit while the client waits for a response', async () => {
    await start(1)
    client.send(get('/v1/x'))
    await client.read()
    client.send(get('/v1/slow'))
    await untilHolds(() => fixture.routed.length === 2)
    expect(socket.timeout).to.equal(0)
    server.emit('timeout', socket)
    expect(socket.destroyed).to.equal(false)
    expect(socket.timeout).to.equal(stuckAfter)
  })

  it('has no time limit while a response waits for its upstream', async () => {
    await start(1)
    client.send(get('/v1/endless'))
    await untilHolds(() => socket.timeout === stuckAfter && socket.writableLength === 0)
    server.emit('timeout', socket)
    expect(socket.destroyed).to.equal(false)
  })

  for (const [what, before] of [
    ['a response', ''],
    ['a response behind another one', get('/v1/x')],
  ] as const) {
    it(`is closed where the client takes nothing of ${what} for two minutes`, async () => {
      await start(5_000)
      client.send(before)
      client.send(post('/v1/x', 'application/json', large))
      await untilHolds(() => socket.timeout === stuckAfter && socket.writableLength > 0)
      server.emit('timeout', socket)
      expect(socket.destroyed).to.equal(true)
    })

    it(`is kept where the client takes ${what} late`, async () => {
      await start(5_000)
      client.send(before)
      client.send(post('/v1/x', 'application/json', large))
      await untilHolds(() => socket.timeout === stuckAfter && socket.writableLength > 0)
      if (before !== '') expect((await client.read()).body).to.equal('{"ok":true}')
      expect((await client.read()).body).to.have.lengthOf(large.length)
      await untilHolds(() => socket.timeout === 6_000)
    })
  }
})

describe('a response that Koa writes', () => {
  /** The time limit of a connection once Koa has the response. @param isOwn whether the gateway has made the server */
  const timeoutOf = async (isOwn: boolean): Promise<number | undefined> => {
    let timeout: number | undefined
    const share = pipelinedBytes(new Quota(1_000_000), new LimitUsage())
    const serve = (request: IncomingMessage, response: ServerResponse, pipeline?: Pipeline) => {
      const { response: ofKoa } = new Http1(request, response, pipeline).messages()
      timeout = request.socket.timeout
      ofKoa.end()
    }
    const server = createServer((request, response) => {
      const pipeline = pipelineOf(request.socket)
      if (pipeline) pipeline.begin(request, response, false)
      else serve(request, response)
    })
    if (isOwn) {
      server.on('connection', (socket: Socket) => {
        new Pipeline(socket, share, (request, response, _, own) => serve(request, response, own))
      })
    }
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text()
    } finally {
      server.close()
    }
    return timeout
  }

  it('has the time limit from its beginning', async () => {
    expect(await timeoutOf(true)).to.equal(stuckAfter)
  })

  it('has none of the gateway on a server of the host process', async () => {
    expect(await timeoutOf(false)).to.equal(undefined)
  })
})
