/** Streams of events of a whole gateway on Crossbar.io, by docs/crossbar.md: whose grants decide, and what a change of them does. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type DocumentedRouter, startDocumentedRouter } from './crossbar-page.ts'

const realm = 'com.example.realm'
const topic = 'com.example.orders'
const password = 'the same for all of them'
const refused = 'wamp.error.not_authorized'

/** @param watchers the roles that may subscribe */
const realmWith = (watchers: readonly string[], ada: object = {}) => ({
  uri: realm,
  authmethods: ['wampcra', 'password', 'anonymous'],
  users: [
    { username: 'ada', password, groups: ['staff'], ...ada },
    { username: 'bob', password, groups: ['buyers'] },
    { username: 'backend', password, groups: ['backend'] },
  ],
  groups: ['staff', 'buyers', 'backend'].map((name) => ({ name })),
  sources: ['wampcra', 'anonymous'].map((authmethod) => ({
    ...{ usernames: authmethod === 'anonymous' ? ['anonymous'] : 'all', authmethod },
    cidr: '127.0.0.0/8',
  })),
  grants: [
    ...['anonymous', ...watchers].map((role) => ({
      ...{ permissions: ['wamp.subscribe'], roles: [role], uri: `${topic}.`, match: 'prefix' },
    })),
    { permissions: ['wamp.publish'], roles: ['backend'], uri: 'com.example.', match: 'prefix' },
  ],
})

const stream = (action: object, security: object) => ({
  get: {
    security,
    action: { type: 'wamp_subscribe', ...action },
    response: { on_event: { body: '{{action.event.args |> head}}' }, on_error: {} },
  },
})

const document = {
  ...{ id: 'com.example.live', host: '_', realm_uri: realm },
  versions: {
    one: {
      base_path: '/live',
      paths: {
        '/user': stream({ topic: `${topic}.`, match: 'prefix' }, { type: 'basic' }),
        '/gateway': stream({ topic: `${topic}.new`, as: 'gateway' }, { type: 'basic' }),
        '/wages': stream({ topic: 'com.example.wages' }, { type: 'basic' }),
      },
    },
  },
}

describe('streams of events on Crossbar.io, by docs/crossbar.md', () => {
  let router: DocumentedRouter
  let gateway: TestGateway
  let backend: SupervisedSession
  const opened: EventStream[] = []

  const load = async (realmDocument: object) => {
    const answer = await fetch(`${gateway.adminUrl}/realms`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(realmDocument),
    })
    expect(answer.ok, await answer.text()).to.equal(true)
  }

  const open = async (path: string, username: string) => {
    const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
    const events = await openEventStream(`${gateway.url}/live${path}`, { headers })
    opened.push(events)
    return events
  }

  const publish = async (data: unknown) => {
    await backend.publish(`${topic}.new`, { args: [data], kwargs: {} }, {}, 5_000)
  }

  /** Publishing is allowed as soon as the gateway answers on the realm. */
  const untilPublished = (data: unknown) =>
    untilHolds(() =>
      publish(data).then(
        () => true,
        () => false,
      ),
    )

  /** The next event is this one. */
  const expectNext = async (events: EventStream, data: unknown) => {
    expect((await events.next()).data).to.equal(JSON.stringify(data))
  }

  const expectEnd = async (events: EventStream, code: string) => {
    const { event, data } = await events.next()
    expect({ event, data: JSON.parse(data) }).to.deep.equal({ event: 'end', data: { code } })
    expect(await events.ended).to.equal(true)
  }

  before(async () => {
    router = await startDocumentedRouter()
    const { authmethod, authid = '', secret = '' } = router.auth
    gateway = await startGateway({
      'wamp.url': router.gatewayUrl,
      'wamp.auth.authmethod': authmethod,
      'wamp.auth.authid': authid,
      'wamp.auth.secret': String(secret),
    })
    await load(realmWith(['staff', 'buyers']))
    await gateway.mustLoad(document)
    backend = componentSession({
      ...{ serializer: 'json', clock: systemClock, log: openLog('silent') },
      ...{ url: router.crossbar.url, realm_uri: realm },
      auth: { authmethod: 'wampcra', authid: 'backend', secret: password },
    })
    expect(await backend.joined(20_000), backend.lastReason).to.equal(true)
    await untilPublished('ready')
    // the gateway's own session joins as anonymous, which it must be asked for, too
    await untilHolds(async () => (await open('/gateway', 'ada')).status === 200)
  })
  beforeEach(() => load(realmWith(['staff', 'buyers'])))
  afterEach(() => {
    for (const events of opened.splice(0)) events.close()
  })
  after(async () => {
    await backend?.leave()
    await gateway?.stop()
    await router?.stop()
  })

  it('are those of the user, whose grants the router asks for', async () => {
    const [ada, denied] = [await open('/user', 'ada'), await open('/wages', 'ada')]
    expect([ada.status, denied.status]).to.deep.equal([200, 403])
    await denied.ended
    expect(JSON.parse(denied.text)).to.include({ error_uri: refused })
    await publish(1)
    await expectNext(ada, 1)
  })

  it('end when a grant is taken away: those that stood on it, and no others', async () => {
    const [ada, bob, own] = [
      await open('/user', 'ada'),
      await open('/user', 'bob'),
      await open('/gateway', 'ada'),
    ]
    await load(realmWith(['buyers']))
    await expectEnd(ada, refused)
    await publish(2)
    for (const events of [bob, own]) await expectNext(events, 2)
    expect((await open('/user', 'ada')).status).to.equal(403)
  })

  it('end when the user is disabled, whoever subscribes', async () => {
    const [ada, own, bob] = [
      await open('/user', 'ada'),
      await open('/gateway', 'ada'),
      await open('/gateway', 'bob'),
    ]
    await load(realmWith(['staff', 'buyers'], { enabled: false }))
    for (const events of [ada, own]) await expectEnd(events, 'service.error.unauthorized')
    await publish(3)
    await expectNext(bob, 3)
  })

  it('outlive Crossbar.io, where users join by asking the gateway', async () => {
    const events = [await open('/user', 'ada'), await open('/gateway', 'ada')]
    await router.crossbar.kill()
    await untilHolds(() => events.every(({ comments }) => comments.length > 0))
    await router.crossbar.restart()
    for (const each of events) expect((await each.next()).event).to.equal('gap')
    await untilPublished(4)
    for (const each of events) await expectNext(each, 4)
  })
})
