/** What the gateway has registered on Crossbar.io comes back without a restart, however it was lost. */
import { expect } from 'chai'
import { untilTrue } from '#test/contract/session/support.ts'
import { type Amend, type Documented, password, startDocumented } from './crossbar-page.ts'
import { CrossbarPeer } from './crossbar-peer.ts'

const realm = 'com.example.realm'

/** A static role that may do what nobody should. */
const withOperator: Amend = ({ realms, transports }) => {
  const allow = { call: true, register: true }
  const permissions = [{ uri: '', match: 'prefix', allow }]
  for (const { roles } of realms) roles.push({ name: 'operator', permissions })
  for (const { paths } of transports) {
    const users = paths.gateway?.auth.wampcra.users
    if (users) Object.assign(users, { operator: { secret: 'a secret', role: 'operator' } })
  }
}

describe('what the gateway has registered on Crossbar.io', () => {
  let set: Documented
  const peers: CrossbarPeer[] = []

  const join = async (uri: string) => {
    const auth = { authmethod: 'wampcra', authid: 'operator', secret: 'a secret' } as const
    const peer = await CrossbarPeer.join(set.gatewayUrl, uri, auth)
    peers.push(peer)
    return peer
  }

  /** A user logs in and has a ticket: all procedures of the gateway are asked for it. */
  const servesUsers = async () => {
    const auth = { authmethod: 'wampcra', authid: 'kim', secret: password } as const
    const kim = await CrossbarPeer.join(set.url, realm, auth)
    const ticket = await kim.call('service.ticket.issue')
    kim.leave()
    return typeof ticket === 'object'
  }

  before(async () => {
    set = await startDocumented(withOperator)
  })
  beforeEach(() => untilTrue(servesUsers))
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.leave()
  })
  after(() => set?.stop())

  for (const [procedure, where] of [
    ['service.authorize', realm],
    ['service.ticket.issue', realm],
    ['service.authenticate', 'service.gateway'],
  ] as const) {
    it(`is registered again after ${procedure} was taken from its session`, async () => {
      const operator = await join(where)
      const id = await operator.call('wamp.registration.lookup', {}, [procedure])
      const [callee] = (await operator.call('wamp.registration.list_callees', {}, [id])) as number[]
      // Crossbar.io 26.10.1 takes it away, then fails before it tells anybody
      await operator.call('wamp.registration.remove_callee', {}, [id, callee])
      await untilTrue(servesUsers)
      const now = await operator.call('wamp.registration.lookup', {}, [procedure])
      expect(now).to.be.a('number').and.to.not.equal(id)
    })
  }

  it('is registered again after somebody who took it by force has gone', async () => {
    const operator = await join(realm)
    const taken = await operator.ask(64, { force_reregister: true }, 'service.authorize')
    expect(taken[0]).to.equal(65)
    operator.leave()
    await untilTrue(servesUsers)
  })

  it('is registered again after the sessions of the gateway were killed', async () => {
    for (const where of [realm, 'service.gateway']) {
      const operator = await join(where)
      const killed = await operator.call('wamp.session.kill_by_authid', {}, ['gateway'])
      expect(killed).to.have.length(1)
    }
    await untilTrue(servesUsers)
  })
})
