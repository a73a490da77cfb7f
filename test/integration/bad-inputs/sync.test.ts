/** What other gateways, or somebody with their key, send a gateway: refused, ignored or kept, and it serves what it should. */
import { expect } from 'chai'
import { type Entry, hashOf } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'
import { openBox } from '#component/sync/sealing.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { basics, untilTrue } from '#test/contract/session/support.ts'
import { memory, type RealNode, RealNodes } from '#test/contract/sync/nodes.ts'
import { openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { describeArea } from './cases.ts'
import { type Document, documentOf, operation } from './documents.ts'
import { type Line, openLine } from './routers.ts'
import { ask, get, jsonOf } from './sockets.ts'

const key = 'the key of the tests of bad inputs'
const topic = 'service.api_spec.on_load'
const day = 86_400_000

let router: TestRouter
let line: Line

/** A gateway on a router of its own, or that of the run, with a line between them. */
async function startRouter(): Promise<Readonly<Record<string, string>>> {
  router = await openRouter()
  line = await openLine(router.url)
  return { 'wamp.url': line.url, 'cluster.key': key, node: 'gateway' }
}

/** GET /<id>/x answers the text. */
const serving = (id: string, text: string): Document =>
  documentOf(id, { '/x': { get: operation({ type: 'static', body: text }) } }, `/${id}`)

function version(id: string, ms: number, text: string): Entry {
  const document = serving(id, text)
  const stamp: Stamp = { ms, counter: 0, node: 'elsewhere' }
  return { kind: 'api_spec', id, stamp, parent: null, hash: hashOf(document), document }
}

describeArea('sync', startRouter, (area) => {
  let nodes: RealNodes
  /** Another gateway on the router, without listeners. */
  let peer: RealNode
  /** Has the key, and is no gateway. */
  let forger: SupervisedSession
  let count = 0

  before(async () => {
    nodes = new RealNodes(key)
    peer = await nodes.open('peer', { url: router.url })
    forger = componentSession({ ...basics, url: router.url, realm_uri: 'service.gateway' })
    expect(await forger.joined(5000)).to.equal(true)
  })
  after(async () => {
    await nodes?.stop()
    await forger?.leave()
    line?.stop()
    await router?.stop()
  })

  const fetchJson = async (path: string) => jsonOf(await ask(area.adminPort, get(path)))
  const hashAtGateway = async (id: string): Promise<unknown> => {
    const { status, headers } = await ask(area.adminPort, get(`/api_specs/${id}`))
    return status === 200 ? String(headers.etag).slice(1, -1) : status
  }
  const served = async (id: string) => (await ask(area.port, get(`/${id}/x`))).body
  const registry = async () =>
    (await fetchJson('/registry')) as { ignored_messages: number; conflicts: readonly Document[] }

  /** Announces an entry as a gateway would. */
  async function forge(entry: Entry, more: object = {}): Promise<void> {
    const beat = { node: 'forger', boot: 'x', seq: ++count, now: Date.now(), digest: 'x' }
    const told = { version: '1.0.0', features: [], every: 4800 }
    const sealed = openBox(key).seal(JSON.stringify({ ...beat, ...told, entry, ...more }), topic)
    const { id, hash, stamp } = entry
    const kwargs = { id, ts: stamp.ms, hash, node: 'forger', sealed }
    await forger.publish(topic, { args: [], kwargs }, {}, 5000)
  }

  /** Everything that was published before has arrived. */
  async function arrived(): Promise<void> {
    const document = serving('com.t.next', `${++count}`)
    await peer.put('com.t.next', document)
    await untilTrue(async () => (await hashAtGateway('com.t.next')) === hashOf(document))
  }

  area.test(181, async () => {
    const ahead = version('com.t.future', Date.now() + 7_200_000, 'from the future')
    await forge(ahead)
    await arrived()
    expect(await hashAtGateway('com.t.future')).to.equal(404)
    const { status, body } = await area.gateway.load(serving('com.t.present', 'now'))
    expect([status, body.ts]).to.deep.equal([201, Math.min(body.ts ?? 0, Date.now())])
    // the same part in another process: what it has written into its log
    const alarms = peer.complaints.filter((text) =>
      text.includes('an entry of another gateway was refused'),
    )
    expect(alarms).to.have.length(1)
    expect(JSON.parse(alarms[0] ?? '')).to.deep.include({ level: 'error', id: 'com.t.future' })
  })

  area.test(182, async () => {
    const raw = await RouterPeer.join({ url: router.url, realm: 'service.gateway' })
    raw.send(16, 1, {}, topic, [], { sealed: 'A'.repeat(100_000_000) })
    await raw.closed
    // what the router lets through has another limit, and is not looked at, whoever sealed it
    const { ignored_messages } = await registry()
    await forge(version('com.t.large', Date.now(), 'never seen'), {
      padding: 'x'.repeat(1_000_000),
    })
    await arrived()
    expect((await registry()).ignored_messages).to.equal(ignored_messages + 1)
    expect(await hashAtGateway('com.t.large')).to.equal(404)
  })

  area.test(183, async () => {
    await area.load(serving('com.t.newer', 'the last good version'))
    const { ts } = (await fetchJson('/api_specs/com.t.newer')) as { ts: number }
    await untilHolds(() => peer.replica.get('api_spec', 'com.t.newer') !== undefined)
    const newer = { id: 'com.t.newer', format: 2, routes: [] }
    await peer.put('com.t.newer', newer)
    await untilTrue(async () => (await registry()).conflicts.length > 0)
    expect((await registry()).conflicts).to.deep.equal([
      {
        ...{ id: 'com.t.newer', reason: 'does_not_compile', serves: ts },
        ...{ ts: peer.replica.get('api_spec', 'com.t.newer')?.stamp.ms, hash: hashOf(newer) },
        node: 'peer',
      },
    ])
    expect(await hashAtGateway('com.t.newer')).to.equal(hashOf(newer))
    expect(await served('com.t.newer')).to.equal('"the last good version"')
    expect((await ask(area.adminPort, get('/ready'))).status).to.equal(200)
  })

  area.test(184, async () => {
    const conflicts: Document[] = []
    await forger.subscribe('service.api_spec.on_conflict', ({ kwargs }) => conflicts.push(kwargs))
    const [lost, won] = [
      serving('com.t.both', 'of the gateway'),
      serving('com.t.both', 'of the peer'),
    ]
    line.pause()
    await area.load(lost)
    await peer.put('com.t.both', won)
    expect(await served('com.t.both')).to.equal('"of the gateway"')
    line.resume()
    await untilTrue(async () => (await served('com.t.both')) === '"of the peer"')
    expect(await hashAtGateway('com.t.both')).to.equal(hashOf(won))
    expect(peer.replica.get('api_spec', 'com.t.both')?.hash).to.equal(hashOf(won))
    const versions = (await fetchJson('/api_specs/com.t.both/versions')) as readonly Document[]
    expect(versions.map(({ hash, is_current }) => [hash, is_current])).to.deep.equal([
      [hashOf(won), true],
      [hashOf(lost), false],
    ])
    await untilHolds(() => conflicts.length > 0)
    expect(conflicts).to.have.length(1)
    expect(conflicts[0]).to.include({ id: 'com.t.both', hash: hashOf(lost), node: 'gateway' })
  })

  area.test(185, async () => {
    const store = await memory()
    const before = await nodes.open('away', { url: router.url }, { store, clockOffset: -30 * day })
    await before.put('com.t.old', serving('com.t.old', 'old'))
    await untilTrue(async () => (await served('com.t.old')) === '"old"')
    await before.stop()
    const gone = await fetch(`${area.gateway.adminUrl}/api_specs/com.t.old`, { method: 'DELETE' })
    expect(gone.status).to.equal(204)
    const after = await nodes.open('away', { url: router.url }, { store })
    expect(after.replica.get('api_spec', 'com.t.old')).to.include({ document: null })
    await arrived()
    expect(await hashAtGateway('com.t.old')).to.equal(404)
    expect((await ask(area.port, get('/com.t.old/x'))).status).to.equal(404)
    expect(peer.replica.get('api_spec', 'com.t.old')).to.include({ document: null })
    await after.stop()
    await store.close()
  })

  area.test(186, async () => {
    const newer = serving('com.t.held', 'newer')
    await area.load(newer)
    const older = version('com.t.held', Date.now() - 3_600_000, 'older')
    await forge(older)
    await arrived()
    expect(await hashAtGateway('com.t.held')).to.equal(hashOf(newer))
    expect(await served('com.t.held')).to.equal('"newer"')
    const store = await memory()
    await store.entries.merge([older])
    const behind = await nodes.open('behind', { url: router.url }, { store })
    expect(behind.replica.get('api_spec', 'com.t.held')?.hash).to.equal(hashOf(newer))
    await behind.stop()
    await store.close()
  })
})
