/** Guessing over WAMP where the gateway is several processes: one limit and one count, whichever of them has the connection. */
import { expect } from 'chai'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { joinRefusal } from '#test/support/peers/wamp-user.ts'

const realm = 'com.example.realm'
const failures = 5
const [kim, joe] = ['the password of kim', 'the password of joe']

describe('guessing at a gateway with several workers', () => {
  let gateway: GatewayProcess

  before(async () => {
    const settings = { workers: '2', 'rate_limits.user_failures': String(failures) }
    gateway = await startGatewayProcess(settings)
    await gateway.post('/realms', {
      uri: realm,
      authmethods: ['wampcra', 'ticket'],
      users: [
        { username: 'kim', password: kim },
        { username: 'joe', password: joe },
      ],
    })
  })
  after(() => gateway?.stop())

  it('is limited by the router, which they share', async () => {
    const join = (authid: string, secret: string, authmethod: 'ticket' | 'wampcra' = 'ticket') =>
      joinRefusal(gateway.routerUrl, realm, { authid, authmethod, secret })
    const refused = 'wamp.error.authentication_failed'
    for (let i = 0; i < failures; i += 1) {
      expect(await join('kim', kim, 'wampcra')).to.equal('joined')
      expect(await join('kim', 'wrong')).to.equal(refused)
    }
    // in turn: each worker is asked
    for (let i = 0; i < 2; i += 1) expect(await join('kim', kim)).to.equal(refused)
    expect(await join('kim', kim, 'wampcra')).to.equal(refused)
    expect(await join('joe', joe)).to.equal('joined')
  })

  it('is counted by the router, and told by every worker', async () => {
    const answer = await fetch(`${gateway.adminUrl}/metrics`)
    const lines = (await answer.text()).split('\n')
    expect(lines.filter((line) => line.startsWith('gateway_logins_total{'))).to.have.members([
      'gateway_logins_total{authmethod="wampcra",result="ok"} 5',
      'gateway_logins_total{authmethod="wampcra",result="limited"} 1',
      'gateway_logins_total{authmethod="ticket",result="ok"} 1',
      'gateway_logins_total{authmethod="ticket",result="refused"} 5',
      'gateway_logins_total{authmethod="ticket",result="limited"} 2',
    ])
  })
})
