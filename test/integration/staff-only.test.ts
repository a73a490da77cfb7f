/** A path for staff, under each type of security: who may enter it, whatever its action is, and who is taken out of it. */

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { type SecurityType, securityKinds } from '#component/security/kinds.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { endOf, within } from '#test/support/examples/live-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import {
  type RecordingUpstream,
  recordingUpstream,
} from '#test/support/peers/recording-upstream.ts'
import { echoingUpstream, type SocketUpstream } from '#test/support/peers/websocket-upstream.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { fieldOf } from '#test/support/tls/client-gateway.ts'
import { FakeIssuer } from '#test/unit/issuer/fake-issuer.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, providerOf } from './oidc/example-apis.ts'
import { ask, callTool, listTools } from './tools/ask.ts'
import { closing, opened } from './websockets/clients.ts'

const realm_uri = 'com.example.staff'
const shop = { realm_uri, base: '/v1' }
const hello = 'com.example.staff.hello'
const topic = 'com.example.staff.news'

/** Who has the role, and who has another one. */
const people = { ann: 'staff', bob: 'customers' } as const
type Person = keyof typeof people
const names = Object.keys(people) as readonly Person[]

const response = { on_result: {}, on_error: {} }

/** What a path does, by the last part of its address; each operation is a tool where it can be one. */
const actions = (upstream: string, sockets: string) => ({
  static: { action: { type: 'static', body: '{{security.authid}}' }, response },
  forward: { action: { type: 'forward', host: upstream, path: '/' }, response },
  call: {
    action: { type: 'wamp_call', procedure: hello },
    response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
  },
  socket: {
    action: { type: 'forward', host: sockets, path: '/', websocket: true },
    response,
  },
  stream: {
    action: { type: 'wamp_subscribe', topic },
    response: { on_event: { body: '{{action.event.kwargs}}' }, on_error: {} },
  },
})

/** Beside them a path for WebSockets, which is asked by no ordinary request. */
const actionNames = ['static', 'forward', 'call', 'stream'] as const

/** The security objects, by type; one for each person where the path decides whose message it is. */
const objects = (service: string): Readonly<Record<SecurityType, (person: Person) => object>> => ({
  basic: () => ({}),
  api_key: () => ({ header_name: 'x-key' }),
  oauth2: () => ({ flow: 'resource_owner_password_credentials' }),
  oidc: () => ({ provider: 'mock' }),
  forward_auth: () => ({
    url: service,
    response_headers: { authid: 'x-auth-user', authroles: 'x-auth-groups' },
    role_mapping: { staff: 'staff', customers: 'customers' },
  }),
  webhook: (sender) => ({ sender }),
  jwt: () => ({ issuer: 'corp' }),
  mtls: () => ({ authid: 'cn' }),
})

const types = securityKinds.map(({ type }) => type)

/** A message cannot be a call of a tool: its body is signed. */
const isTool = (type: SecurityType): boolean => type !== 'webhook'

const pathOf = (type: SecurityType, person: Person, action: string): string =>
  `/${type}/${type === 'webhook' ? person : 'all'}/${action}`

function documentOf(upstream: string, sockets: string, service: string) {
  const operations = actions(upstream, sockets)
  const paths = types.flatMap((type) =>
    (type === 'webhook' ? names : names.slice(0, 1)).flatMap((person) =>
      [...actionNames, 'socket' as const].map((action) => {
        const isListed = isTool(type) && action !== 'stream' && action !== 'socket'
        const name = `${type}_${action}`
        const tool = isListed ? { tool: { name, description: `The tool ${name}.` } } : {}
        const security = { type, roles: ['staff', 'owners'], ...objects(service)[type](person) }
        return [pathOf(type, person, action), { security, get: { ...tool, ...operations[action] } }]
      }),
    ),
  )
  return {
    ...{ id: realm_uri, host: '_', realm_uri },
    versions: {
      '1': { base_path: '/v1', mcp: { path: '/mcp' }, paths: Object.fromEntries(paths) },
    },
  }
}

type Fields = Record<string, string>

describe('a path for staff', () => {
  let aheadMs = 0
  let folder: string
  let root: Authority
  let service: Server
  let issuer: FakeIssuer
  let provider: FakeProvider
  let upstream: RecordingUpstream
  let sockets: SocketUpstream
  let gateway: TestGateway
  let callee: RouterPeer
  /** What the callee was called for. */
  let calls = 0
  /** The header fields of each person, by type. */
  const fields = {} as Record<SecurityType, Record<Person, Fields>>

  const post = async (path: string, body: unknown) => {
    const answer = await send(gateway.adminUrl, path, { method: 'POST', body })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer
  }

  /** Declares the realm, where ann has this role; each type knows her by something else. */
  const declare = (role: string = people.ann) => {
    const roles = { ...people, ann: role }
    const mapping = { staff: role, customers: 'customers' }
    provider.person = { ...provider.person, roles: [mapping.staff] }
    return post('/realms', {
      uri: realm_uri,
      authmethods: [
        'anonymous',
        'password',
        'basic',
        'oauth2',
        'jwt',
        'oidcrp',
        'cookie',
        'ticket',
      ],
      users: [
        { username: 'app', password: 'pw', groups: ['api_clients'] },
        ...names.map((username) => ({
          ...{ username, password: 'pw' },
          groups: ['resource_owners', roles[username]],
        })),
      ],
      info: {
        jwt_issuers: { corp: { ...issuer.settings, role_claim: 'roles', role_mapping: mapping } },
        oidc_providers: { mock: providerOf(provider, { recheck_interval: 60 }) },
        webhook_senders: Object.fromEntries(
          names.map((username) => [
            username,
            { scheme: 'hmac', header: 'x-signature', secret: `of ${username}`, username },
          ]),
        ),
      },
    })
  }

  /** Logs a person in by each type. */
  async function fieldsOf(person: Person): Promise<Readonly<Record<SecurityType, Fields>>> {
    const basic = { authorization: `Basic ${Buffer.from(`${person}:pw`).toString('base64')}` }
    const key = await post(`/realms/${realm_uri}/users/${person}/api_keys`, {})
    const login = await send(gateway.url, '/v1/oauth/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('app:pw').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `grant_type=password&username=${person}&password=pw`,
    })
    const { access_token } = login.json() as { readonly access_token: string }
    provider.person = {
      sub: person,
      preferred_username: `${person} of oidc`,
      roles: [people[person]],
    }
    const browser = new Browser()
    await browser.logIn(gateway.url, shop, provider)
    const token = await issuer.token({ claims: { sub: person, roles: [people[person]] } })
    const { cert } = root.issue({ name: person, usage: 'client' })
    return {
      basic,
      api_key: { 'x-key': (key.json() as { readonly api_key: string }).api_key },
      oauth2: { authorization: `Bearer ${access_token}` },
      oidc: { authorization: `Bearer ${browser.ticketOf(shop)}` },
      forward_auth: { 'x-token': person },
      webhook: { 'x-signature': createHmac('sha256', `of ${person}`).update('').digest('hex') },
      jwt: { authorization: `Bearer ${token}` },
      mtls: { 'client-cert': fieldOf(cert) },
    }
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-staff-'))
    root = new Authority('root')
    writeFileSync(join(folder, 'ca.pem'), root.cert)
    service = createServer(({ headers }, answer) => {
      const person = String(headers['x-token'])
      if (!Object.hasOwn(people, person)) return answer.writeHead(401).end()
      const groups = people[person as Person]
      return answer.writeHead(204, { 'x-auth-user': person, 'x-auth-groups': groups }).end()
    })
    await once(service.listen(0, '127.0.0.1'), 'listening')
    const clock = { ...systemClock, now: () => Date.now() + aheadMs }
    issuer = await FakeIssuer.open(clock.now)
    provider = await FakeProvider.open(clock.now)
    provider.givesRefreshTokens = true
    upstream = await recordingUpstream()
    sockets = await echoingUpstream()
    const settings = {
      'gateway.trusted_proxies': '["127.0.0.1"]',
      'gateway.tls.client_ca': join(folder, 'ca.pem'),
      'router.listen': '127.0.0.1:0',
    }
    gateway = await startGateway(settings, { isEmbedded: true, clock })
    await declare()
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const { status, body } = await gateway.load(documentOf(upstream.origin, sockets.host, url))
    expect(status, JSON.stringify(body)).to.equal(201)
    callee = await RouterPeer.join({ url: gateway.routerUrl, realm: realm_uri })
    await callee.register(hello)
    callee.webSocket.on('message', (data) => {
      const [type, request] = JSON.parse(String(data))
      if (type !== 68) return
      calls += 1
      callee.send(70, request, {}, ['hello'])
    })
    for (const person of ['bob', 'ann'] as const) {
      const found = await fieldsOf(person)
      for (const type of types) fields[type] = { ...fields[type], [person]: found[type] }
    }
  })
  after(async () => {
    callee?.cut()
    await gateway?.stop()
    upstream?.close()
    sockets?.close()
    await Promise.all([issuer?.close(), provider?.close()])
    service.closeAllConnections()
    service.close()
    rmSync(folder, { recursive: true })
  })

  const open: EventStream[] = []
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close()
  })

  /** Status, and the code of a refusal. */
  async function enter(type: SecurityType, action: string, person: Person, headers: Fields) {
    const path = `/v1${pathOf(type, person, action)}`
    if (action === 'stream') {
      const stream = await openEventStream(gateway.url + path, { headers })
      open.push(stream)
      if (stream.status !== 200) await stream.ended
      return { status: stream.status, text: stream.text, stream }
    }
    return { ...(await send(gateway.url, path, { headers })), stream: undefined }
  }

  /** How often something behind the gateway was reached since this was asked last. */
  function reached(): number {
    const count = upstream.take().length + calls
    calls = 0
    return count
  }

  for (const type of types) {
    for (const action of actionNames) {
      it(`under ${type} lets staff enter, and no others: ${action}`, async () => {
        reached()
        const bob = await enter(type, action, 'bob', fields[type].bob)
        expect(bob.status, bob.text).to.equal(403)
        expect(JSON.parse(bob.text)).to.include({
          code: 'wamp.error.not_authorized',
          message: 'this user may not use this path',
        })
        expect(bob.text).to.not.match(/staff|owners|role/)
        const nobody = await enter(type, action, 'ann', {})
        expect(nobody.status, nobody.text).to.equal(401)
        expect(reached(), 'nothing is reached').to.equal(0)
        const ann = await enter(type, action, 'ann', fields[type].ann)
        expect(ann.status, ann.text).to.equal(200)
        expect(reached()).to.equal(action === 'forward' || action === 'call' ? 1 : 0)
      })
    }

    const ofTools = isTool(type) ? it : undefined
    ofTools?.(`under ${type} is no tool of others`, async () => {
      const own = ['static', 'forward', 'call'].map((action) => `${type}_${action}`)
      const list = async (headers: Fields) => {
        try {
          return await listTools(gateway.url, headers)
        } catch {
          return []
        }
      }
      expect(await list(fields[type].ann)).to.include.members(own)
      for (const headers of [fields[type].bob, {}]) {
        expect(await list(headers)).to.not.include.members(own)
        reached()
        for (const name of own) {
          const { status, text } = await ask(
            gateway.url,
            'tools/call',
            { name, arguments: {} },
            headers,
          )
          expect([status, text.includes('result')]).to.deep.equal([
            headers === fields[type].bob ? 403 : 401,
            false,
          ])
        }
        expect(reached()).to.equal(0)
      }
      for (const name of own) {
        const { result, error } = await callTool(gateway.url, name, {}, fields[type].ann)
        expect(result?.isError ?? false, JSON.stringify([result, error])).to.equal(false)
      }
    })

    /** What is open of ann's, and the promise of how it is ended. */
    const opening: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
      'a stream': async () => {
        const { status, stream } = await enter(type, 'stream', 'ann', fields[type].ann)
        expect(status).to.equal(200)
        const ended = endOf(stream as EventStream)
        return () => ended
      },
      'a WebSocket': async () => {
        const at = `/v1${pathOf(type, 'ann', 'socket')}`
        const closed = closing(await opened(gateway.url, at, { headers: fields[type].ann }))
        return () => closed
      },
    }
    const endings = {
      'a stream': 'service.error.unauthorized',
      'a WebSocket': [1008, 'the credentials have ended'],
    }
    for (const [what, ending] of Object.entries(endings)) {
      it(`under ${type} takes out who loses the role while ${what} is open`, async () => {
        // a provider is asked again after a minute
        const pass = () => {
          aheadMs += type === 'oidc' ? 60_000 : 0
        }
        const ended = await opening[what]?.()
        pass()
        await declare('interns')
        expect(await within('the end', Promise.resolve(ended?.()))).to.deep.equal(ending)
        const { status, text } = await enter(type, 'static', 'ann', fields[type].ann)
        expect(status, text).to.equal(403)
        pass()
        await declare()
        expect((await enter(type, 'static', 'ann', fields[type].ann)).status).to.equal(200)
      })
    }
  }
})
