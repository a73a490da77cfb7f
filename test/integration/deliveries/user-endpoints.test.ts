/** Endpoints that users add to a delivery: verified by a ping, signed by secrets of their own, sent by themselves, as long as their user may have the event. */
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { runCli } from '#test/unit/cli/terminal.ts'
import {
  documentOfEndpoints,
  openPublisher,
  openReceiver,
  type Publisher,
  type Receiver,
  realm,
} from './deliveries.setup.ts'
import { meanings } from './runbook.ts'

const topic = 'com.example.order.new'

/** A document whose users have endpoints. */
const documentWith = (per_user: number, more: object = {}) =>
  documentOfEndpoints({
    topic,
    to: { endpoints: { per_user } },
    retry: { delays: [1, 1] },
    ...more,
  })

describe('endpoints of users', () => {
  let gateway: TestGateway
  let receiver: Receiver
  let publisher: Publisher

  const realmWith = (users: readonly string[], hearing: readonly string[]) => ({
    ...{ uri: realm, authmethods: ['anonymous', 'password', 'oauth2', 'basic'] },
    users: users.map((username) => ({
      username,
      password: 'pass:word',
      groups: [username, 'resource_owners'],
    })),
    grants: [
      // the session of the gateway is anonymous
      ...['anonymous', ...hearing].map((role) => ({
        ...{ roles: [role], permissions: 'wamp.subscribe', uri: 'com.example.' },
        match: 'prefix',
      })),
      { roles: 'all', permissions: 'wamp.publish', uri: 'com.example.', match: 'prefix' },
    ],
  })
  const admin = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const headers = { 'content-type': 'application/json' }
    const asked = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return await send(gateway.adminUrl, path, asked)
  }
  const useRealm = async (users: readonly string[], hearing: readonly string[]) =>
    expect((await admin('/services/load_realm', realmWith(users, hearing))).status).to.equal(200)

  before(async () => {
    gateway = await startGateway(
      { 'deliveries.endpoint_hosts': '["127.0.0.1"]' },
      { isEmbedded: true },
    )
  })
  after(async () => {
    await gateway?.stop()
  })
  beforeEach(async () => {
    receiver = await openReceiver()
    await useRealm(['ada', 'bob'], ['ada', 'bob'])
    await gateway.mustLoad(documentWith(2))
    publisher = await openPublisher(gateway.routerUrl)
  })
  afterEach(async () => {
    for (const user of ['ada', 'bob']) await ask(user, 'GET').then(removeAll(user), () => undefined)
    await publisher?.close()
    receiver.close()
  })

  const ask = async (user: string, method: string, path = '', body?: object) => {
    const authorization = `Basic ${Buffer.from(`${user}:pass:word`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const asked = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await send(gateway.url, `/me/endpoints${path}`, asked)
    return { status: answer.status, body: JSON.parse(answer.text) as Told }
  }
  interface Told {
    readonly endpoint: { readonly id: string; readonly state: string }
    readonly endpoints: readonly { readonly id: string; readonly state: string }[]
    readonly secret: string | null
    readonly is_repeat: boolean
    readonly ping: object | null
  }
  const removeAll =
    (user: string) =>
    async ({ body }: { readonly body: Told }) => {
      for (const { id } of body.endpoints ?? []) await ask(user, 'DELETE', `/${id}`)
    }
  const add = (user: string, path = `/${user}`) =>
    ask(user, 'POST', '', { url: `${receiver.origin}${path}` })
  const at = (path: string) => receiver.received.filter((one) => one.path === path)
  const events = (path: string) => at(path).filter(({ body }) => body.type === topic)
  /** Publishes until the endpoint hears. */
  const untilHeard = (path: string) =>
    untilHolds(async () => {
      await publisher.publish(topic, { id: 'hello' })
      return events(path).length > 0
    })

  it('gets events once a ping was answered, under the secret that was shown once', async () => {
    const { status, body } = await add('ada')
    expect(status).to.equal(200)
    expect(body.endpoint.state).to.equal('active')
    expect(body.ping).to.deep.equal({ status: 200 })
    expect(body.secret).to.match(/^whsec_/)
    expect(at('/ada').map((one) => one.body.type)).to.deep.equal(['ping'])
    await untilHeard('/ada')
    const webhook = new Webhook(String(body.secret))
    for (const { raw, headers } of at('/ada')) webhook.verify(raw, headers)
    const again = await add('ada')
    expect(again.body).to.include({ is_repeat: true, secret: null })
    const listed = await ask('ada', 'GET')
    expect(JSON.stringify(listed.body)).not.to.include('whsec_')
    expect(listed.body.endpoints).to.have.length(1)
  })

  it('gets nothing before a ping was answered, and is pinged again when it is added again', async () => {
    receiver.answer = () => [500]
    const { body } = await add('ada')
    expect(body.endpoint.state).to.equal('unverified')
    expect(body.ping).to.deep.equal({ status: 500 })
    expect((await add('bob', '/bob')).body.endpoint.state).to.equal('unverified')
    receiver.answer = () => [200]
    await add('bob', '/bob')
    await untilHeard('/bob')
    expect(events('/ada')).to.deep.equal([])
    expect((await add('ada')).body.endpoint.state).to.equal('active')
    await untilHeard('/ada')
  })

  it('is bounded for each user, however many come at once', async () => {
    const all = await Promise.all(['/1', '/2', '/3', '/4'].map((path) => add('ada', path)))
    expect(all.map(({ status }) => status).sort()).to.deep.equal([200, 200, 429, 429])
    expect((await add('bob')).status).to.equal(200)
    await gateway.mustLoad(documentWith(1))
    expect((await ask('ada', 'GET')).body.endpoints).to.have.length(2)
    expect((await add('ada', '/5')).status).to.equal(429)
    await gateway.mustLoad(documentWith(3))
    expect((await add('ada', '/5')).status).to.equal(200)
  })

  it('is signed by both secrets for a time after a rotation', async () => {
    const added = (await add('ada')).body
    const rotated = (await ask('ada', 'POST', `/${added.endpoint.id}/secret`)).body
    expect(rotated.secret).to.match(/^whsec_/)
    expect(rotated.secret).not.to.equal(added.secret)
    await untilHeard('/ada')
    const [first] = events('/ada')
    for (const secret of [added.secret, rotated.secret]) {
      new Webhook(String(secret)).verify(first?.raw ?? '', first?.headers ?? {})
    }
  })

  it('gets nothing without the grant of its user, and is gone with the user', async () => {
    await add('ada')
    await add('bob')
    await untilHeard('/ada')
    await useRealm(['ada', 'bob'], ['bob'])
    await untilHeard('/bob')
    const before = events('/ada').length
    const known = events('/bob').length
    await publisher.publish(topic, { id: 1 })
    await untilHolds(() => events('/bob').length > known)
    expect(events('/ada')).to.have.length(before)
    const listed = await admin('/api_specs/com.example.hooks/deliveries/orders/endpoints')
    const { endpoints } = JSON.parse(listed.text) as { endpoints: readonly object[] }
    expect(endpoints).to.have.length(2)
    expect(endpoints.find((one) => 'user' in one && one.user === 'ada')).to.include({
      is_permitted: false,
    })
    expect((await add('ada', '/other')).status).to.equal(403)
    await useRealm(['bob'], ['bob'])
    const left = await admin('/api_specs/com.example.hooks/deliveries/orders/endpoints')
    expect((JSON.parse(left.text) as { endpoints: object[] }).endpoints).to.have.length(1)
  })

  it('stops alone where it is gone, and loses what waits when it is removed', async () => {
    const gone = (await add('ada')).body.endpoint
    await add('bob')
    await untilHeard('/ada')
    await untilHeard('/bob')
    receiver.answer = ({ path }) => [path === '/ada' ? 410 : 200]
    await publisher.publish(topic, { id: 1 })
    await untilHolds(async () => (await ask('ada', 'GET')).body.endpoints[0]?.state === 'stopped')
    expect((await ask('bob', 'GET')).body.endpoints[0]?.state).to.equal('active')
    const path = '/api_specs/com.example.hooks/deliveries/orders'
    expect((await admin(`${path}/events?endpoint=${gone.id}`)).status).to.equal(200)
    expect((await admin(`${path}/events`)).status).to.equal(400)
    const removed = await admin(`${path}/endpoints/${gone.id}`, undefined, 'DELETE')
    expect(removed.status).to.equal(204)
    expect((await admin(`${path}/events?endpoint=${gone.id}`)).status).to.equal(404)
    await untilHolds(async () => {
      const { text } = await admin('/deliveries')
      return (
        (JSON.parse(text) as { deliveries: { pending: number }[] }).deliveries[0]?.pending === 0
      )
    })
  })

  it('tells operators why it gets nothing', async () => {
    const table = async () => {
      const command = 'deliveries com.example.hooks orders endpoints'
      const { out } = await runCli([...command.split(' '), '--admin', gateway.adminUrl])
      return out.split('\n')
    }
    const line = async (user: string) => (await table()).find((row) => row.includes(` ${user} `))
    receiver.answer = ({ path }) => [path === '/ada' ? 500 : 200]
    await add('ada')
    const { id } = (await add('bob')).body.endpoint
    expect(await line('ada')).to.match(/ unverified /)
    await untilHeard('/bob')
    receiver.answer = () => [410]
    await publisher.publish(topic, { id: 1 })
    await untilHolds(async () => / stopped \(gone\) .* true$/.test((await line('bob')) ?? ''))
    await useRealm(['ada', 'bob'], ['ada'])
    expect(await line('bob')).to.match(/ false$/)
    await ask('bob', 'DELETE', `/${id}`)
    expect(await line('bob')).to.equal(undefined)
    for (const told of ['`unverified`', '`stopped (gone)`', '`PERMITTED`', 'not listed']) {
      expect(
        meanings.some((row) => row.includes(told)),
        told,
      ).to.equal(true)
    }
  })

  it('takes no address that is private, no user and no plain http', async () => {
    for (const url of [
      ...['https://10.0.0.1/', 'https://a:b@shop.example.com/', 'http://shop.example.com/'],
      ...['https://[::ffff:10.0.0.1]/', 'https://169.254.169.254/', 'ftp://shop.example.com/', ''],
      'https://2130706433.example.com/#x',
    ]) {
      expect((await ask('ada', 'POST', '', { url })).status, url).to.equal(400)
    }
    expect((await ask('ada', 'GET')).body.endpoints).to.deep.equal([])
  })
})
