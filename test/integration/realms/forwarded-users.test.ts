/** `wamp.identity: forwarded` over HTTP, on the embedded router: callees see the users, and no client can name another one. */
import { expect } from 'chai'
import { allRoles, RouterPeer } from '#test/contract/router/peer.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import {
  ask,
  logIn,
  orderProcedure,
  passwords,
  shopDocument,
  shopRealm,
  shopRealmWith,
} from '#test/support/examples/example-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { untilHolds } from '#test/support/running/until.ts'

const topic = 'com.example.order.placed'
const paths = shopDocument.versions['1.0.0'].paths
const { response } = paths['/order'].get

const call = (procedure: string, more: object = {}) => ({
  get: {
    action: { type: 'wamp_call', procedure, ...more },
    response: { ...response, on_result: { body: '{{action.result.args |> head}}' } },
  },
})

const document = {
  ...shopDocument,
  versions: {
    one: {
      base_path: '/shop',
      paths: {
        ...paths,
        '/hidden': call(orderProcedure, { options: { disclose_me: false } }),
        '/sessions': call('wamp.session.count'),
        '/publish': {
          post: {
            action: { type: 'wamp_publish', topic, args: ['{{security.authid}}'] },
            response: { ...response, on_result: { status_code: 200, body: 'published' } },
          },
        },
        '/slow': {
          get: {
            action: { type: 'wamp_call', procedure: 'com.example.order.slow' },
            response: { ...response, on_progress: { body: '{{action.progress.args |> head}}' } },
          },
        },
        '/events': {
          get: {
            action: { type: 'wamp_subscribe', topic },
            response: { on_event: { body: '{{action.event.args |> head}}' } },
          },
        },
      },
    },
  },
}

const permits = (permissions: readonly string[], roles: readonly string[], uri: string) => ({
  ...{ permissions, roles, uri, match: 'prefix' },
})

const realmWith = (ofAda: object = {}) => {
  const { grants, ...realm } = shopRealmWith(ofAda)
  return {
    ...realm,
    grants: [
      ...grants,
      permits(['wamp.subscribe'], ['services', 'customers'], 'com.example.order.'),
      permits(['wamp.publish'], ['customers'], 'com.example.order.'),
      permits(['wamp.call'], ['customers', 'anonymous'], 'wamp.session.'),
    ],
  }
}

type Details = Readonly<Record<string, unknown>>

/** The backend: it notes invocations and events, and answers with the authid of the caller, slow calls with two pieces before. */
async function openBackend(url: string) {
  const peer = await RouterPeer.open(url)
  await peer.ask(1, shopRealm, { roles: allRoles, authmethods: ['ticket'], authid: 'backend' })
  await peer.ask(5, passwords.backend, {})
  const [, , who] = await peer.ask(64, 1, {}, orderProcedure)
  const [, , slow] = await peer.ask(64, 2, {}, 'com.example.order.slow')
  await peer.ask(32, 3, {}, topic)
  const invocations: Details[] = []
  const events: Details[] = []
  const interrupts: unknown[] = []
  const serve = async () => {
    for (;;) {
      const [code, request, registration, field] = await peer.next()
      const details = field as Details
      if (code === 36) events.push(details)
      if (code === 69) interrupts.push(request)
      if (code !== 68) continue
      invocations.push(details)
      if (registration === who) peer.send(70, request, {}, [details.caller_authid ?? null])
      if (registration !== slow) continue
      for (const piece of [1, 2]) peer.send(70, request, { progress: true }, [piece])
    }
  }
  void serve()
  return { peer, invocations, events, interrupts }
}

/** A stream of a user. */
const streamOf = (url: string, path: string, token: string) =>
  openEventStream(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })

describe('users with wamp.identity: forwarded', () => {
  let gateway: TestGateway
  let backend: Awaited<ReturnType<typeof openBackend>>

  const load = async (body: unknown) => {
    const answer = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
  }
  const sessions = async () => {
    const answer = await send(gateway.adminUrl, `/realms/${shopRealm}/sessions`)
    expect(answer.status, answer.text).to.equal(200)
    return (answer.json() as { readonly authid: string }[]).map(({ authid }) => authid).toSorted()
  }

  beforeEach(async () => {
    gateway = await startGateway({ 'wamp.identity': 'forwarded' }, { isEmbedded: true })
    await load(realmWith())
    const loaded = await gateway.load(document)
    expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
    backend = await openBackend(gateway.routerUrl)
  })
  afterEach(async () => {
    backend?.peer.cut()
    await gateway?.stop()
  })

  it('call as themselves over one session, and only what they are granted', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    const answer = await ask(gateway.url, access_token, '/order')
    expect([answer.status, answer.json()]).to.deep.equal([200, 'ada'])
    expect(backend.invocations[0]).to.include({
      ...{ caller_authid: 'ada', caller_authrole: 'resource_owners' },
    })
    const bob = await logIn(gateway.url, 'bob')
    const refused = await ask(gateway.url, bob.access_token, '/order')
    expect([refused.status, (refused.json() as { code: string }).code]).to.deep.equal([
      ...[403, 'wamp.error.not_authorized'],
    ])
    expect(backend.invocations).to.have.length(1)
    expect(await sessions()).to.deep.equal(['anonymous', 'backend', 'gateway', 'gateway'])
  })

  it('have the session that sends for them among those of the gateway', async () => {
    const registry = await send(gateway.adminUrl, '/registry')
    const { router_sessions } = registry.json() as { router_sessions: readonly object[] }
    const state = { is_joined: true, reconnects: 0, last_error: null }
    expect(router_sessions).to.deep.include({ realm: shopRealm, purpose: 'forwarding', ...state })
  })

  it('are not named where the document says so', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    expect((await ask(gateway.url, access_token, '/hidden')).json()).to.equal(null)
  })

  it('leave open paths to nobody', async () => {
    const answer = await send(gateway.url, '/shop/open')
    expect(answer.status).to.equal(403)
    expect(backend.invocations).to.have.length(0)
  })

  it('publish as themselves', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    const headers = { authorization: `Bearer ${access_token}` }
    const answer = await send(gateway.url, '/shop/publish', { method: 'POST', headers })
    expect(answer.status).to.equal(200)
    await untilHolds(() => backend.events.length > 0)
    expect(backend.events[0]).to.include({ publisher_authid: 'ada' })
    const bob = { authorization: `Bearer ${(await logIn(gateway.url, 'bob')).access_token}` }
    const refused = await send(gateway.url, '/shop/publish', { method: 'POST', headers: bob })
    expect(refused.status).to.equal(403)
  })

  it('get progressive results, and a client that goes away cancels its own call', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    const pieces = await streamOf(gateway.url, '/shop/slow', access_token)
    expect([(await pieces.next()).data, (await pieces.next()).data]).to.deep.equal(['1', '2'])
    expect(backend.invocations[0]).to.include({ caller_authid: 'ada', receive_progress: true })
    pieces.close()
    await untilHolds(() => backend.interrupts.length > 0)
    expect((await ask(gateway.url, access_token, '/order')).json()).to.equal('ada')
  })

  it('call what belongs to the router over sessions of their own', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    expect((await ask(gateway.url, access_token, '/sessions')).status).to.equal(200)
    expect(await sessions()).to.include('ada')
  })

  it('subscribe over sessions of their own, and get what they publish', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    const events = await streamOf(gateway.url, '/shop/events', access_token)
    expect(await sessions()).to.include('ada')
    const headers = { authorization: `Bearer ${access_token}` }
    await send(gateway.url, '/shop/publish', { method: 'POST', headers })
    expect((await events.next()).data).to.equal('"ada"')
    events.close()
  })

  it('may do no more as soon as the realm changes', async () => {
    const { access_token } = await logIn(gateway.url, 'ada')
    expect((await ask(gateway.url, access_token, '/order')).status).to.equal(200)
    await load(realmWith({ groups: ['resource_owners'] }))
    const { access_token: later } = await logIn(gateway.url, 'ada')
    expect((await ask(gateway.url, later, '/order')).status).to.equal(403)
    expect(backend.invocations).to.have.length(1)
  })

  it('cannot name anybody else over WAMP', async () => {
    const peer = await RouterPeer.open(gateway.routerUrl)
    await peer.ask(1, shopRealm, { roles: allRoles, authmethods: ['ticket'], authid: 'ada' })
    await peer.ask(5, passwords.ada, {})
    const forward_for = [{ session: 1, authid: 'bob', authrole: 'services' }]
    for (const [code, uri] of [
      [48, orderProcedure],
      [16, topic],
    ] as const) {
      const options = { acknowledge: true, disclose_me: true, forward_for }
      const [type, , , , error] = await peer.ask(code, code, options, uri)
      expect([type, error]).to.deep.equal([8, 'wamp.error.not_authorized'])
    }
    expect([backend.invocations, backend.events]).to.deep.equal([[], []])
    peer.cut()
  })
})
