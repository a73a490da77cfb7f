/** Streams of calls over HTTP: what holds them up, what ends them, and what is told of them. */
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'

const realm = 'com.example.test'
const procedure = 'com.example.pieces'
const code = { invocation: 68, interrupt: 69, yield: 70 } as const

const operation = {
  action: { type: 'wamp_call', procedure, timeout: 5000, progress_timeout: 20_000 },
  response: {
    on_progress: { body: '{{action.progress.args |> head}}' },
    on_result: { headers: { 'x-a': 'b' } },
    on_error: { body: '{{action.error.error_uri}}' },
  },
}

const document = {
  id: 'com.example.pieces',
  host: '_',
  realm_uri: realm,
  versions: {
    '1': { base_path: '/v1', paths: { '/x': { get: operation } } },
    '2': {
      ...{ base_path: '/v2', pool_size: 1 },
      paths: { '/x': { get: { ...operation, action: { ...operation.action, timeout: 100 } } } },
    },
  },
}

/** The next invocation; interrupts of earlier ones are passed over. */
async function invocationOf(callee: RouterPeer): Promise<unknown> {
  for (;;) {
    const [type, id] = await callee.next()
    if (type === code.invocation) return id
  }
}

/** Sends pieces to a client that does not read, until the call is cancelled; then the connection is closed. */
async function sendUnread(gateway: TestGateway, callee: RouterPeer): Promise<void> {
  const client: Socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  client.on('error', () => undefined) // 'close' follows
  client.pause()
  client.write('GET /v1/x HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n')
  const id = await invocationOf(callee)
  const stopped = callee.next()
  let isStopped = false
  void stopped.then(() => {
    isStopped = true
  })
  const text = 'x'.repeat(65_536)
  // what the kernel takes, and some MiB more
  for (let sent = 0; !isStopped && sent < 1000; sent += 1) {
    callee.send(code.yield, id, { progress: true }, [text])
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await stopped).slice(0, 2)).to.deep.equal([code.interrupt, id])
  client.resume()
  await new Promise((resolve) => client.once('close', resolve))
}

describe('a stream of a call over HTTP', () => {
  const { log, lines } = keptLog()
  let gateway: TestGateway
  let callee: RouterPeer

  before(async () => {
    gateway = await startGateway({ 'log.access': 'true' }, { log, isEmbedded: true })
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
    callee = await RouterPeer.join({ url: gateway.routerUrl, realm })
    await callee.register(procedure)
  })
  beforeEach(() => {
    lines.length = 0
  })
  after(async () => {
    callee.cut()
    await gateway.stop()
  })

  const invocation = (): Promise<unknown> => invocationOf(callee)
  const piece = (id: unknown, value: unknown) =>
    callee.send(code.yield, id, { progress: true }, [value])
  const result = (id: unknown) => callee.send(code.yield, id, {}, ['end'])
  const line = async (): Promise<LogLine> => {
    const found = () => lines.find(({ msg }) => msg === 'request')
    await until('the request is logged', () => found() !== undefined)
    return found() ?? {}
  }

  it('brings each piece when it comes, and one line in the log when it is over', async () => {
    const opening = openEventStream(`${gateway.url}/v1/x`)
    const id = await invocation()
    piece(id, 'a')
    const stream = await opening
    expect((await stream.next()).data).to.equal('"a"')
    piece(id, 'b')
    expect((await stream.next()).data).to.equal('"b"')
    expect(lines.filter(({ msg }) => msg === 'request')).to.deep.equal([])
    result(id)
    expect(await stream.ended).to.equal(true)
    expect(stream.headers).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: 'Accept',
      'x-a': 'b',
    })
    expect(await line()).to.include({
      ...{ route: '/v1/x', status: 200, events: 2, reason: 'complete' },
    })
  })

  it('is NDJSON for who asks for that', async () => {
    const asked = send(gateway.url, '/v1/x', { headers: { accept: 'application/x-ndjson' } })
    const id = await invocation()
    piece(id, { a: 1 })
    result(id)
    expect((await asked).text).to.equal(
      '{"id":"1","data":{"a":1}}\n{"id":"2","event":"result","data":{"args":["end"],"kwargs":{}}}\n',
    )
  })

  it('Last-Event-ID: 3: 204, nothing called', async () => {
    const headers = { 'last-event-id': '3' }
    const stream = await openEventStream(`${gateway.url}/v1/x`, { headers })
    await stream.ended
    expect(stream.status).to.equal(204)
    const asked = send(gateway.url, '/v1/x')
    result(await invocation())
    expect((await asked).status).to.equal(200)
    expect(lines.filter(({ msg }) => msg === 'request')).to.have.length(2)
  })

  it('HEAD: the head of the answer, without progress', async () => {
    const asked = openEventStream(`${gateway.url}/v1/x`, { method: 'HEAD' })
    const [, id, , details] = await callee.next()
    expect(details).not.to.have.property('receive_progress')
    result(id)
    const { status, headers } = await asked
    expect(status).to.equal(200)
    expect(headers).to.include({ 'content-type': 'text/event-stream', 'x-a': 'b' })
  })

  it('pool_size: the slot is held to the end', async () => {
    const opening = openEventStream(`${gateway.url}/v2/x`)
    const id = await invocation()
    piece(id, 1)
    const stream = await opening
    expect((await send(gateway.url, '/v2/x')).status).to.equal(503)
    result(id)
    await stream.ended
    const asked = send(gateway.url, '/v2/x')
    result(await invocation())
    expect((await asked).status).to.equal(200)
  })

  it('client too slow, waiting > limits.call_buffer: CANCEL; connection destroyed; reason slow', async () => {
    await sendUnread(gateway, callee)
    expect(await line()).to.include({ status: 200, reason: 'slow' })
  })

  it('client too slow, limits.buffered_bytes used up: the same', async () => {
    const settings = { 'limits.call_buffer': '1000000000', 'limits.buffered_bytes': '33554432' }
    const small = await startGateway(
      { 'log.access': 'true', ...settings },
      { log, isEmbedded: true },
    )
    await small.load(document)
    const peer = await RouterPeer.join({ url: small.routerUrl, realm })
    await peer.register(procedure)
    lines.length = 0
    await sendUnread(small, peer)
    expect(await line()).to.include({ status: 200, reason: 'slow' })
    peer.cut()
    await small.stop()
  })

  it('callee answers ERROR after pieces: error in the log line, status 200', async () => {
    const opening = openEventStream(`${gateway.url}/v1/x`)
    const id = await invocation()
    piece(id, 1)
    const stream = await opening
    callee.send(8, code.invocation, id, {}, 'com.example.broken')
    await stream.next()
    expect(await stream.next()).to.include({ event: 'error', data: '"com.example.broken"' })
    await stream.ended
    const told = { status: 200, error: 'com.example.broken', reason: 'failed', events: 1 }
    expect(await line()).to.include(told)
    const failed = lines.find(({ level }) => level === 'error' || level === 'warn')
    expect(failed).to.include({ error: 'com.example.broken', procedure })
  })

  it('drain: drain_timeout, then error timeout', async () => {
    const settings = { 'gateway.drain_timeout': '10' }
    const stopping = await startGateway(settings, { isEmbedded: true })
    await stopping.load(document)
    const peer = await RouterPeer.join({ url: stopping.routerUrl, realm })
    await peer.register(procedure)
    const opening = openEventStream(`${stopping.url}/v1/x`)
    const [, id] = await peer.next()
    peer.send(code.yield, id, { progress: true }, [1])
    const stream = await opening
    await stream.next()
    const stopped = stopping.stop()
    expect(await stream.next()).to.include({ event: 'error', data: '"service.error.timeout"' })
    expect(await stream.ended).to.equal(true)
    await stopped
    peer.cut()
  })
})
