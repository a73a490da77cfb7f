/** A gateway of several processes: one for its clients, whichever worker has their connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import type { GatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { readMetric } from '#test/support/load.ts'
import { until } from '#test/support/running/until.ts'
import { nodeOf, procedure, startWorkers, workersDocument } from '#test/support/worker-gateway.ts'

/** The answers to so many requests, each on a connection of its own, so that all workers have their turn. */
const statuses = async (base: string, path: string, count: number): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => send(base, path)))
  return answers.map(({ status }) => status)
}

const repeat = (status: number, count: number) => Array.from({ length: count }, () => status)

const count = 2

describe('a gateway of 2 workers', () => {
  let gateway: GatewayProcess

  before(async () => {
    gateway = await startWorkers(count, {
      'limits.headers_timeout': '500',
      'limits.max_connections': '20',
      'limits.connections_per_address': '20',
      'health.listen': '127.0.0.1:0',
      'log.level': 'info',
    })
  })

  after(() => gateway.kill())

  const load = (id: string, path: string) => ({
    ...workersDocument,
    id,
    versions: { 1: { ...workersDocument.versions['1.0.0'], base_path: path } },
  })

  it('gives connections to all of them in turn', async () => {
    const names: string[] = []
    for (let at = 0; at < count * 3; at++) names.push(await nodeOf(gateway))
    expect(new Set(names)).to.deep.equal(new Set(gateway.workers().keys()))
    expect(new Set(names).size).to.equal(count)
    const [first = ''] = names
    expect(names.filter((name) => name === first)).to.have.length(3)
  })

  it('serves health and metrics of all of them, and nothing else, at health.listen', async () => {
    const { healthUrl } = gateway
    const paths = ['/ping', '/ready', '/metrics', '/api_specs', '/workers/static']
    for (let at = 0; at < count; at++) {
      const answers = await Promise.all(paths.map((path) => send(healthUrl, path)))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 404, 404])
    }
  })

  it('numbers them behind the name of the node', () => {
    const numbers = [...gateway.workers().keys()].map((name) => name.slice(name.lastIndexOf('-')))
    expect(numbers.sort()).to.deep.equal(
      Array.from({ length: count }, (_, index) => `-${index + 1}`),
    )
  })

  it('says once where it listens', () => {
    expect(gateway.output.match(/"msg":"ready"/g)).to.have.length(1)
  })

  it('names the worker in each line of the log', async () => {
    await statuses(gateway.url, '/workers/static', count)
    const lines = () =>
      gateway.output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { readonly msg: string; readonly node?: string })
    const names = () =>
      lines().flatMap(({ msg, node }) => (msg === 'request' ? [node ?? 'nobody'] : []))
    await until('all have written', () => new Set(names()).size === count)
    expect(new Set(names())).to.deep.equal(new Set(gateway.workers().keys()))
    const nameless = lines().flatMap(({ msg, node }) => (node === undefined ? [msg] : []))
    expect(nameless, 'before it has a name').to.deep.equal(['starting'])
  })

  it('serves on all of them what was loaded on one over HTTP when that is acknowledged', async () => {
    await gateway.post('/api_specs', load('com.example.http', '/over-http'))
    const got = await statuses(gateway.url, '/over-http/static', count * 2)
    expect(got).to.deep.equal(repeat(200, count * 2))
  })

  it('serves on all of them what was loaded on one over WAMP when that is acknowledged', async () => {
    const peer = await RouterPeer.join({ url: gateway.routerUrl, realm: 'service.gateway' })
    const document = load('com.example.wamp', '/over-wamp')
    const [code] = await peer.ask(48, 1, {}, 'service.load_api_spec', [document])
    peer.cut()
    expect(code).to.equal(50)
    const got = await statuses(gateway.url, '/over-wamp/static', count * 2)
    expect(got).to.deep.equal(repeat(200, count * 2))
  })

  it('serves on none of them what was deleted on one when that is acknowledged', async () => {
    await gateway.post('/api_specs', load('com.example.gone', '/gone'))
    await send(gateway.adminUrl, '/api_specs/com.example.gone', { method: 'DELETE' })
    const got = await statuses(gateway.url, '/gone/static', count * 2)
    expect(got).to.deep.equal(repeat(404, count * 2))
  })

  it('adds the metrics of all of them up, whichever is asked', async () => {
    await gateway.post('/api_specs', load('com.example.counted', '/counted'))
    await statuses(gateway.url, '/counted/static', count * 2)
    await statuses(gateway.url, '/counted/called', count * 2) // nobody has registered it
    const calls = `{api="com.example.counted",version="1",procedure="${procedure}",outcome="error"}`
    for (let at = 0; at < count; at++) {
      const answer = await send(gateway.adminUrl, '/metrics')
      expect(answer.text).to.match(
        new RegExp(`^gateway_http_requests_total{.*route="/counted/static".*} ${count * 2}$`, 'm'),
      )
      const counted = `gateway_wamp_call_duration_seconds_count${calls} ${count * 2}`
      expect(answer.text.split('\n')).to.include(counted)
    }
    const listed = (await send(gateway.adminUrl, '/api_specs')).json() as unknown[]
    expect(await readMetric(gateway.adminUrl, 'gateway_registry_entries')).to.equal(listed.length)
    const sessions = await readMetric(gateway.adminUrl, 'gateway_router_sessions')
    expect(sessions).to.be.at.least(count * 2) // of each its own, and one on the realm of the APIs
  })

  it('cuts off who does not send the head of a request', async () => {
    const { port, hostname } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /workers/static HTTP/1.1\r\n')
    expect(await text(socket)).to.match(/^HTTP\/1\.1 408 /)
  })

  it('holds in each of them as many connections as a listener may', async () => {
    const { port, hostname } = new URL(gateway.url)
    const endings = { answered: 0, surplus: 0 }
    const sockets: Socket[] = []
    for (let index = 0; index < 20 * count + 5; index++) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write('GET /workers/static HTTP/1.1\r\nHost: localhost\r\n\r\n')
      // one after the other: whoever has not taken the last one gets no turn
      const isAnswered = await Promise.race([
        once(socket, 'data').then(() => true),
        once(socket, 'close').then(() => false),
      ]).catch(() => false) // reset
      endings[isAnswered ? 'answered' : 'surplus'] += 1
    }
    for (const socket of sockets) socket.destroy()
    // a few may be taken by clients of the tests before
    expect(endings.surplus).to.be.within(5, 10)
  })
})
