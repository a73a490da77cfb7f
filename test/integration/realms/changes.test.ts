/** What a realm document takes back holds at once, also for sessions that are open. */
import autobahn from 'autobahn'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

type Connection = InstanceType<typeof autobahn.Connection>
type Session = Parameters<NonNullable<Connection['onopen']>>[0]

describe('service.load_realm, on the embedded router', () => {
  if (process.env.WAMP_ROUTER_URL !== undefined) return
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  const loadRealm = async (document: object) => {
    const answer = await fetch(`${gateway.adminUrl}/services/load_realm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(document),
    })
    expect(answer.ok).to.equal(true)
  }

  const open = (realm: string) =>
    new Promise<{ ended: Promise<string> }>((resolve, reject) => {
      const connection = new autobahn.Connection({ url: gateway.routerUrl, realm, max_retries: 0 })
      let end: (reason: string) => void = reject
      const ended = new Promise<string>((settle) => {
        end = settle
      })
      connection.onopen = () => resolve({ ended })
      connection.onclose = (reason, details) => {
        reject(new Error(reason))
        end(String((details as { reason?: string }).reason ?? reason))
        return true
      }
      connection.open()
    })

  it('opens a realm for sessions, and ends them when it takes none any more', async () => {
    await loadRealm({ uri: 'com.example.short', authmethods: ['anonymous'] })
    const session = await open('com.example.short')
    await loadRealm({
      uri: 'com.example.short',
      authmethods: ['anonymous'],
      allow_connections: false,
    })
    expect(await session.ended).to.equal('wamp.close.close_realm')
    const refused = await open('com.example.short').catch((error: Error) => error.message)
    expect(refused).to.not.have.property('ended')
  })

  it('ends the sessions of a realm that is deleted', async () => {
    await loadRealm({ uri: 'com.example.deleted', authmethods: ['anonymous'] })
    const session = await open('com.example.deleted')
    const answer = await fetch(`${gateway.adminUrl}/realms/com.example.deleted`, {
      method: 'DELETE',
    })
    expect(answer.status).to.equal(204)
    expect(await session.ended).to.equal('wamp.close.close_realm')
  })

  it('ends subscriptions and registrations that a grant, of a prototype too, does not allow any more', async () => {
    const all = ['wamp.subscribe', 'wamp.register', 'wamp.publish', 'wamp.call']
    const grants = (permissions: readonly string[]) => [
      { roles: ['anonymous'], permissions, resources: [{ uri: 'com.', match: 'prefix' }] },
    ]
    const proto = (permissions: readonly string[]) => ({
      ...{ uri: 'com.example.proto', authmethods: ['anonymous'], is_prototype: true },
      grants: grants(permissions),
    })
    await loadRealm(proto(all))
    await loadRealm({ uri: 'com.example.heir', prototype_uri: 'com.example.proto' })
    const session = await new Promise<Session>((resolve) => {
      const url = gateway.routerUrl
      const connection = new autobahn.Connection({ url, realm: 'com.example.heir', max_retries: 0 })
      connection.onopen = resolve
      connection.open()
    })
    const events: unknown[] = []
    await session.subscribe('com.a', (args: unknown) => void events.push(...(args as unknown[])))
    await session.register('com.b', () => 'answer')
    const options = { acknowledge: true, exclude_me: false }
    const publish = (event: number) => session.publish('com.a', [event], {}, options)
    await publish(1)
    expect(await session.call('com.b')).to.equal('answer')
    await loadRealm(proto(['wamp.publish', 'wamp.call']))
    await publish(2)
    const refusal = await Promise.resolve(session.call('com.b')).catch(
      (error: { error: string }) => error.error,
    )
    expect(refusal).to.equal('wamp.error.no_such_procedure')
    expect(events).to.deep.equal([1])
  })

  it('leaves the sessions of other realms alone', async () => {
    await loadRealm({ uri: 'com.example.other', authmethods: ['anonymous'] })
    const session = await open('com.example.other')
    await loadRealm({ uri: 'com.example.third', allow_connections: false })
    const first = await Promise.race([session.ended, Promise.resolve('open')])
    expect(first).to.equal('open')
  })
})
