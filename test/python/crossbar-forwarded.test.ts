/** `wamp.identity: forwarded` on Crossbar.io, by docs/crossbar.md: callees see the user, and nobody else can be one. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import { untilTrue } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Amend, type DocumentedRouter, startDocumentedRouter } from './crossbar-page.ts'
import { CrossbarPeer } from './crossbar-peer.ts'

const realm = 'com.example.realm'
const password = 'the same for all of them'
const procedure = 'com.example.orders.list'
const topic = 'com.example.orders.placed'
const refused = 'wamp.error.not_authorized'

const permits = (permissions: readonly string[], roles: readonly string[], uri: string) => ({
  ...{ permissions, roles, uri, match: 'prefix' },
})

const realmDocument = {
  uri: realm,
  authmethods: ['wampcra', 'ticket', 'password'],
  users: [
    { username: 'ada', password, groups: ['staff', 'buyers'] },
    { username: 'bob', password, groups: ['guests'] },
    { username: 'backend', password, groups: ['services'] },
  ],
  grants: [
    permits(['wamp.call', 'wamp.publish'], ['staff'], 'com.example.'),
    permits(['wamp.call'], ['staff'], 'org.example.'),
    permits(['wamp.call'], ['staff'], 'service.ticket.'),
    permits(['service.issue'], ['staff'], 'service.ticket.scope.local'),
    permits(['wamp.register', 'wamp.subscribe'], ['services'], 'com.example.'),
  ],
}

const response = {
  on_error: {
    status_code: '{{status_codes |> get({{action.error.error_uri}}, 500)}}',
    body: '{{action.error.error_uri}}',
  },
}

const call = (called: string) => ({
  get: {
    action: { type: 'wamp_call', procedure: called },
    response: { ...response, on_result: { body: '{{action.result.args |> head}}' } },
  },
})

const api = {
  ...{ id: 'com.example.orders', host: '_', realm_uri: realm },
  defaults: { security: { type: 'basic' } },
  versions: {
    one: {
      base_path: '/v1',
      paths: {
        '/orders': call(procedure),
        '/elsewhere': call('org.example.x'),
        '/ticket': call('service.ticket.issue'),
        '/placed': {
          post: {
            action: { type: 'wamp_publish', topic },
            response: { ...response, on_result: { status_code: 200, body: 'published' } },
          },
        },
      },
    },
  },
}

/** A static role that may call, and discloses what it says. */
const withStaticRole: Amend = ({ realms, transports }) => {
  const permission = { uri: 'com.', match: 'prefix', allow: { call: true, publish: true } }
  const permissions = [{ ...permission, disclose: { caller: true, publisher: true } }]
  for (const { name, roles } of realms)
    if (name === realm) roles.push({ name: 'link', permissions })
  for (const { paths } of transports) {
    const users = paths.gateway?.auth.wampcra.users
    if (users) Object.assign(users, { link: { secret: 'a secret', role: 'link' } })
  }
}

/** A role of the gateway that may not publish the events by which it finds out what the router shows. */
const withoutProof: Amend = ({ realms }) => {
  for (const { roles } of realms) {
    for (const role of roles as { permissions?: { uri: string }[] }[]) {
      role.permissions = role.permissions?.filter(({ uri }) => uri !== 'service.forwarded.') ?? []
      if (role.permissions.length === 0) delete role.permissions
    }
  }
}

type Details = Readonly<Record<string, unknown>>

/** A gateway that forwards on a router, and what its log has. */
async function startForwarding(router: DocumentedRouter) {
  const { authmethod, authid = '', secret = '' } = router.auth
  const logged: Details[] = []
  const log = openLog('warn', {
    write(line) {
      logged.push(JSON.parse(line) as Details)
    },
  })
  const gateway = await startGateway(
    {
      ...{ 'wamp.url': router.gatewayUrl, 'wamp.identity': 'forwarded' },
      ...{ 'wamp.auth.authmethod': authmethod, 'wamp.auth.authid': authid },
      'wamp.auth.secret': String(secret),
    },
    { log },
  )
  const loaded = await send(gateway.adminUrl, '/realms', { method: 'POST', body: realmDocument })
  expect(loaded.status, loaded.text).to.equal(200)
  await gateway.mustLoad(api)
  return { gateway, logged }
}

const ask = async ({ url }: TestGateway, username: string, path: string, method = 'GET') => {
  const authorization = `Basic ${btoa(`${username}:${password}`)}`
  const answer = await send(url, path, { method, headers: { authorization } })
  return { status: answer.status, body: answer.json() as Details }
}

describe('a gateway that forwards on Crossbar.io', () => {
  let router: DocumentedRouter
  let gateway: TestGateway
  let logged: readonly Details[]
  let backend: CrossbarPeer
  const peers: CrossbarPeer[] = []

  const join = async (url: string, auth: JoinAuth) => {
    const peer = await CrossbarPeer.join(url, realm, auth)
    peers.push(peer)
    return peer
  }
  const joinAs = (authid: string) =>
    join(router.crossbar.url, { authmethod: 'wampcra', authid, secret: password })

  before(async () => {
    router = await startDocumentedRouter(withStaticRole)
    ;({ gateway, logged } = await startForwarding(router))
    await untilTrue(async () => {
      backend = await joinAs('backend')
      return true
    })
    // registering is allowed as soon as the gateway answers on this realm, too
    await untilTrue(async () => (await backend.ask(64, {}, procedure))[0] === 65)
    await backend.ask(32, {}, topic)
  })
  after(async () => {
    for (const peer of peers) peer.leave()
    await gateway?.stop()
    await router?.stop()
  })

  const adaAndGateway = ([user, sender, ...more]: readonly Details[]) => {
    expect(user).to.deep.include({ authid: 'ada', authrole: 'staff' })
    expect(user?.authroles).to.deep.equal(['staff', 'buyers'])
    expect(sender).to.include({ authid: 'gateway', authrole: 'gateway' })
    expect(more).to.deep.equal([])
  }

  it('shows the callee the user with all roles, and who has sent the call', async () => {
    const { status, body } = await ask(gateway, 'ada', '/v1/orders')
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body).to.include({ caller_authid: 'ada', caller_authrole: 'staff' })
    adaAndGateway(body.forward_for as Details[])
    const [user] = body.forward_for as Details[]
    expect(body.caller).to.equal(user?.session)
  })

  it('shows subscribers the user', async () => {
    expect((await ask(gateway, 'ada', '/v1/placed', 'POST')).status).to.equal(200)
    await untilHolds(() => backend.events.length > 0)
    const details = backend.events.splice(0)[0]?.[3] as Details
    expect(details).to.include({ publisher_authid: 'ada', publisher_authrole: 'staff' })
    adaAndGateway(details.forward_for as Details[])
  })

  it('sends nothing that the grants of the user do not allow', async () => {
    for (const [path, method] of [
      ['/v1/orders', 'GET'],
      ['/v1/placed', 'POST'],
    ] as const) {
      const { status, body } = await ask(gateway, 'bob', path, method)
      expect([status, body]).to.deep.equal([403, refused])
    }
    expect(backend.events).to.deep.equal([])
  })

  it('tells the log where the router refuses it what the user may', async () => {
    const { status, body } = await ask(gateway, 'ada', '/v1/elsewhere')
    expect([status, body]).to.deep.equal([403, refused])
    const lines = logged.filter(({ msg }) => String(msg).startsWith('what the realm grants'))
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ level: 'warn', realm })
  })

  it('calls procedures of the gateway over a session of the user', async () => {
    const { status, body } = await ask(gateway, 'ada', '/v1/ticket')
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body).to.include({ authid: 'ada' })
  })

  it('has one session of its own for the calls of all', async () => {
    for (let time = 0; time < 3; time++) await ask(gateway, 'ada', '/v1/orders')
    const seen = await ask(gateway, 'ada', '/v1/orders')
    const { session } = (seen.body.forward_for as Details[])[1] ?? {}
    const again = await ask(gateway, 'ada', '/v1/orders')
    expect((again.body.forward_for as Details[])[1]?.session).to.equal(session)
  })

  const forged = [
    { session: 1, authid: 'ada', authrole: 'staff', authroles: ['staff'] },
    { session: 2, authid: 'gateway', authrole: 'gateway' },
  ]

  it('leaves a user who names another one refused', async () => {
    for (const user of [await joinAs('bob'), await joinAs('ada')]) {
      expect(await user.call(procedure, { forward_for: forged })).to.equal(refused)
      expect(await user.may('publish', topic, { forward_for: forged })).to.equal(refused)
    }
    expect(backend.events).to.deep.equal([])
  })

  it('is told from a static role that names another user by the last entry, which the router adds', async () => {
    const link = await join(router.gatewayUrl, {
      ...{ authmethod: 'wampcra', authid: 'link', secret: 'a secret' },
    })
    const details = (await link.call(procedure, { forward_for: forged })) as Details
    expect(details).to.include({ caller_authid: 'ada' })
    const entries = details.forward_for as Details[]
    expect(entries.at(-1)).to.include({ authid: 'link', authrole: 'link' })
  })
})

describe('a gateway that is to forward on a Crossbar.io that does not let it', () => {
  it('says what to do when the document is loaded, and sends nothing for users', async () => {
    const router = await startDocumentedRouter(withoutProof)
    const { gateway, logged } = await startForwarding(router)
    try {
      const problems = logged.filter(({ setting }) => setting === 'wamp.identity')
      expect(problems).to.have.length(1)
      expect(problems[0]).to.include({ level: 'error', realm, reason: refused })
      expect(problems[0]?.msg).to.include('service.forwarded.').and.include('docs/crossbar.md')
      const { status, body } = await ask(gateway, 'ada', '/v1/orders')
      expect([status, body]).to.deep.equal([500, 'wamp.error.authorization_failed'])
    } finally {
      await gateway.stop()
      await router.stop()
    }
  })
})
