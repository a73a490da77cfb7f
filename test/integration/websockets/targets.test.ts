/** WebSockets to the targets of an upstream. */
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import {
  documentOf,
  startWith,
  closeAll as stopGateways,
} from '#test/integration/upstreams/upstreams.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { until } from '#test/support/running/until.ts'
import { closing, echoed, opened } from './clients.ts'

describe('WebSockets to the targets of an upstream', () => {
  let targets: SocketUpstream[]

  beforeEach(async () => {
    targets = [await echoingUpstream(), await echoingUpstream()]
  })
  afterEach(async () => {
    await stopGateways()
    for (const target of targets) target.close()
  })

  const of = (hosts: readonly (string | undefined)[], more: object = {}) => ({
    it: { targets: hosts.map((host) => ({ url: `http://${host}` })), ...more },
  })
  const hosts = () => targets.map(({ host }) => host)
  const { versions, ...rest } = documentOf()
  const { get } =
    (versions['1'].paths as Record<string, Record<string, { action: object }>>)['/it'] ?? {}
  const paths = { '/it': { get: { ...get, action: { ...get?.action, websocket: true } } } }
  const document = { ...rest, versions: { '1': { base_path: '/v1', paths } } }

  const openAt = async (url: string, count: number): Promise<WebSocket[]> => {
    const sockets: WebSocket[] = []
    for (let index = 0; index < count; index += 1) sockets.push(await opened(url, '/v1/it'))
    return sockets
  }

  it('take turns', async () => {
    const { url } = await startWith(of(hosts()), document)
    const sockets = await openAt(url, 4)
    expect(targets.map(({ open }) => open.size)).to.deep.equal([2, 2])
    for (const socket of sockets) socket.terminate()
  })

  it('count as pending while they are open', async () => {
    const { url } = await startWith(of(hosts(), { balance: 'least_pending' }), document)
    const sockets = await openAt(url, 6)
    expect(targets.map(({ open }) => open.size)).to.deep.equal([3, 3])
    for (const peer of targets[0]?.open ?? []) peer.terminate()
    await until('one has none', () => targets[0]?.open.size === 0)
    await until('the gateway knows', async () => {
      const [more] = await openAt(url, 1)
      if (more) sockets.push(more)
      return (targets[0]?.open.size ?? 0) >= 3
    })
    for (const socket of sockets) socket.terminate()
  })

  it('go to another target where one cannot be reached', async () => {
    targets[0]?.close()
    const { url } = await startWith(of(hosts()), document)
    const sockets = await openAt(url, 4)
    expect(targets[1]?.open.size).to.equal(4)
    for (const socket of sockets) socket.terminate()
  })

  it('prove to the target who asks by the credentials of the upstream, which no client is told', async () => {
    const [target] = targets
    const auth = { type: 'header', name: 'x-key', secret: 'the secret of the upstream' }
    const { url } = await startWith(of([target?.host], { auth }), document)
    const headers = { 'x-key': 'the guess of a client', authorization: 'Bearer of-the-client' }
    const socket = await opened(url, '/v1/it', { headers })
    const told = target?.handshakes[0]?.headers
    expect(told).to.include({ 'x-key': auth.secret, upgrade: 'websocket' })
    expect(told?.authorization).to.equal(undefined)
    expect((await echoed(socket, 'hello')).toString()).to.equal('hello')
    socket.terminate()
  })

  it('end with 1001 when their target is taken out of the realm, and those of others go on', async () => {
    const { url, setUpstreams } = await startWith(of(hosts()), document)
    const sockets = await openAt(url, 4)
    const [first] = targets
    const ofFirst: WebSocket[] = []
    const ofOthers: WebSocket[] = []
    for (const socket of sockets) {
      const before = first?.open.size ?? 0
      const answer = echoed(socket, 'whose')
      let isOfFirst = false
      for (const peer of first?.open ?? []) peer.once('message', () => (isOfFirst = true))
      await answer
      expect(before).to.equal(2)
      ;(isOfFirst ? ofFirst : ofOthers).push(socket)
      for (const peer of first?.open ?? []) peer.removeAllListeners('message')
      for (const peer of first?.open ?? []) peer.on('message', (data) => peer.send(data))
    }
    expect([ofFirst.length, ofOthers.length]).to.deep.equal([2, 2])
    const closed = Promise.all(ofFirst.map(closing))
    await setUpstreams(of([targets[1]?.host]))
    const told = [1001, 'the upstream was taken away']
    expect(await closed).to.deep.equal([told, told])
    for (const socket of ofOthers) {
      expect((await echoed(socket, 'still')).toString()).to.equal('still')
      socket.terminate()
    }
  })
})
