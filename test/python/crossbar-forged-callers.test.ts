/** On Crossbar.io a client names itself as somebody else by the option `forward_for`: the gateway believes it nowhere. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import { registerAll } from '#procedures/index.ts'
import { untilTrue } from '#test/contract/session/support.ts'
import { type Amend, type Documented, password, startDocumented } from './crossbar-page.ts'
import { CrossbarPeer } from './crossbar-peer.ts'

const realm = 'com.example.realm'
const componentRealm = 'service.gateway'
const refused = 'wamp.error.not_authorized'

const as = (authid: string, authrole: string) => ({
  forward_for: [{ session: 4711, authid, authrole }],
})

/** Static roles, which Crossbar.io lets do this without asking the gateway. */
const callsService = [
  { uri: 'service.', match: 'prefix', allow: { call: true }, disclose: { caller: true } },
]
const withStaticRoles: Amend = ({ realms, transports }) => {
  for (const { roles } of realms) roles.push({ name: 'spec_reader', permissions: callsService })
  for (const { paths } of transports) {
    const users = paths.gateway?.auth.wampcra.users
    if (users) Object.assign(users, { reader: { secret: 'a secret', role: 'spec_reader' } })
  }
}

const specification = (realm_uri: string) => ({
  ...{ id: 'com.example.forged', host: '_', realm_uri },
  versions: { one: { base_path: '/v1', paths: {} } },
})

describe('a forged caller on Crossbar.io, by docs/crossbar.md', () => {
  let set: Documented
  const peers: CrossbarPeer[] = []

  const join = async (url: string, uri: string, auth: JoinAuth) => {
    const peer = await CrossbarPeer.join(url, uri, auth)
    peers.push(peer)
    return peer
  }
  const joinAsReader = (uri: string) =>
    join(set.gatewayUrl, uri, { authmethod: 'wampcra', authid: 'reader', secret: 'a secret' })
  const joinAsKim = () =>
    join(set.url, realm, { authmethod: 'wampcra', authid: 'kim', secret: password })

  before(async () => {
    set = await startDocumented(withStaticRoles)
    await registerAll(set.own, set.management, openLog('silent'))
  })
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.leave()
  })
  after(() => set?.stop())

  describe('of a static role, which the authorizer is never asked about', () => {
    it('gets no ticket of another user', async () => {
      const reader = await joinAsReader(realm)
      // without the option it is refused, because it is no user; before, the gateway has not registered it yet
      await untilTrue(async () => (await reader.call('service.ticket.issue')) === refused)
      const answer = await reader.ask(48, as('kim', 'user'), 'service.ticket.issue')
      expect(answer.slice(4, 6)).to.deep.equal([
        refused,
        ['forward_for: a call may not name another caller'],
      ])
    })

    it('loads no specification as spec_loader', async () => {
      const reader = await joinAsReader(componentRealm)
      const args = [specification(realm)]
      const loaded = await reader.call('service.load_api_spec', as('ops', 'spec_loader'), args)
      expect(loaded).to.equal(refused)
      expect(await reader.call('service.list_api_specs')).to.deep.equal([])
    })

    it("is told no user's secret as the router itself", async () => {
      const reader = await joinAsReader(componentRealm)
      const details = { authmethod: 'wampcra', transport: { peer: 'tcp4:127.0.0.1:1' } }
      const forged = as('x', 'trusted')
      const told = await reader.call('service.authenticate', forged, [realm, 'kim', details])
      expect(told).to.equal(refused)
    })
  })

  describe('of a role that the authorizer is asked about', () => {
    it('reaches no callee, also none that would believe it', async () => {
      const auth: JoinAuth = { authmethod: 'cryptosign', authid: 'backend', key: set.key.seed }
      const backend = await join(set.url, realm, auth)
      for (const procedure of ['com.example.orders.list', 'com.example.hello']) {
        // registering is allowed as soon as the gateway answers on this realm
        await untilTrue(async () => (await backend.ask(64, {}, procedure))[0] === 65)
      }
      const anonymous = await join(set.url, realm, { authmethod: 'anonymous' })
      for (const [peer, procedure, authid] of [
        [await joinAsKim(), 'com.example.orders.list', 'kim'],
        [anonymous, 'com.example.hello', 'anonymous'],
      ] as const) {
        expect(await peer.call(procedure)).to.include({ caller_authid: authid })
        expect(await peer.call(procedure, as('ops', 'spec_loader')), authid).to.equal(refused)
      }
    })

    it('gets no ticket of another user', async () => {
      const { users = [] } = set.document as Record<string, object[]>
      const sam = { username: 'sam', password, groups: ['staff'] }
      await set.realms.load({ ...set.document, users: [...users, sam] })
      const kim = await joinAsKim()
      expect(await kim.call('service.ticket.issue')).to.include({ authid: 'kim' })
      expect(await kim.call('service.ticket.issue', as('sam', 'user'))).to.equal(refused)
    })
  })
})
