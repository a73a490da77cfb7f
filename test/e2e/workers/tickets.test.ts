/** Tickets on the realm of their users where the gateway is several processes: each worker gives and takes them. */
import { expect } from 'chai'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { joinRefusal, joinUser, type WampUser } from '#test/support/peers/wamp-user.ts'
import { until } from '#test/support/running/until.ts'

const realm = 'com.example.realm'
const authid = 'kim'
const secret = 'the password of kim'
const workers = 2

const document = {
  uri: realm,
  authmethods: ['wampcra', 'ticket'],
  users: [{ username: authid, password: secret, groups: ['staff'] }],
  grants: ['service.ticket.', 'wamp.registration.'].map((uri) => ({
    ...{ permissions: ['wamp.call', 'service.issue'], roles: 'all' },
    ...{ uri, match: 'prefix' },
  })),
}

interface Ticket {
  readonly ticket: string
  readonly issued_on: string
}

describe('tickets of a gateway with several workers', () => {
  let gateway: GatewayProcess
  let kim: WampUser

  before(async () => {
    gateway = await startGatewayProcess({ workers: String(workers) })
    await gateway.post('/realms', document)
    kim = await joinUser(gateway.routerUrl, realm, { authid, authmethod: 'wampcra', secret })
    await until('every worker has registered', async () => {
      const id = await kim.attempt('call', 'wamp.registration.match', ['service.ticket.issue'])
      const callees = await kim.attempt('call', 'wamp.registration.count_callees', [id])
      return callees === workers
    })
  })
  after(async () => {
    await kim?.leave()
    await gateway?.stop()
  })

  it('are given by each of them, and end wherever they are revoked', async () => {
    const issued = new Set<string>()
    for (let round = 0; round < workers; round++) {
      const found = await kim.attempt('call', 'service.ticket.issue', [60])
      const { ticket, issued_on } = found as Ticket
      issued.add(issued_on)
      const login = { authid, authmethod: 'ticket', secret: ticket } as const
      const user = await joinUser(gateway.routerUrl, realm, login)
      // in turn: the other worker is asked this time
      const revoked = await kim.attempt('call', 'service.ticket.revoke', [ticket])
      expect(revoked).to.have.all.keys('id')
      await user.ended
      expect(await joinRefusal(gateway.routerUrl, realm, login)).to.equal(
        'wamp.error.authentication_failed',
      )
    }
    expect(issued.size).to.equal(workers)
  })
})
