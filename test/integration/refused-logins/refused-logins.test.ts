/** Every way in which a login is refused has one line in the log that says why; clients are told as little as before. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { joinRefusal } from '#test/support/peers/wamp-user.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { untilHolds } from '#test/support/running/until.ts'
import {
  basic,
  bearer,
  canary,
  document,
  httpRows,
  office,
  owner,
  proof,
  type Row,
  realm,
  realmDocument,
  tokenRequest,
  type World,
  wampRows,
} from './doors.ts'

describe('a refused login', () => {
  const { log, lines } = keptLog()
  const clock = movedClock()
  let gateway: TestGateway
  let world: World

  const told = () => lines.filter(({ level }) => level !== 'info' && level !== 'debug')
  const manage = async (path: string, body: unknown) => {
    const answer = await send(gateway.adminUrl, path, { method: 'POST', body })
    expect(answer.status, answer.text).to.be.below(300)
    return answer.json() as Record<string, string>
  }
  const ask = ([target, request]: ReturnType<Row[1]>): Promise<HttpAnswer> =>
    send(gateway.url, target, {
      ...request,
      headers: { 'x-forwarded-for': office, 'x-request-id': 'of-this-test', ...request.headers },
    })

  before(async () => {
    const settings = { 'gateway.trusted_proxies': '[127.0.0.1]' }
    gateway = await startGateway(settings, { log, clock, isEmbedded: true })
    await manage('/realms', realmDocument)
    await gateway.mustLoad(document)
    const first = (await ask(owner('ada', proof))).json() as Record<string, string>
    const { refresh_token: used = '', access_token: expired = '' } = first
    const refresh = tokenRequest({ grant_type: 'refresh_token', refresh_token: used })
    expect((await ask(refresh)).status).to.equal(200)
    clock.aheadMs = 901_000
    world = { used, expired }
  })
  after(() => gateway?.stop())
  beforeEach(() => {
    lines.length = 0
    // a network has ten lines a second
    clock.aheadMs += 1_000
  })

  for (const [what, request, status, line] of httpRows) {
    it(`over HTTP for ${what} has one line`, async () => {
      const answer = await ask(request(world))
      expect(answer.status, answer.text).to.equal(status)
      await untilHolds(() => told().length > 0)
      const [first, ...more] = told()
      expect(more).to.deep.equal([])
      expect(first).to.include({ ...line, level: 'warn', msg: 'login refused', realm, status })
      expect(first).to.include({ request_id: 'of-this-test', peer: `${office}:0` })
      expect(first?.authid).to.equal(line.authid)
      expect(JSON.stringify(lines)).to.not.contain(canary).and.not.contain(proof)
      expect(answer.text).to.not.contain(line.authid === undefined ? 'unknown user' : 'disabled')
    })
  }

  for (const [what, uri, login, refusal, line] of wampRows) {
    it(`over WAMP for ${what} has one line`, async () => {
      expect(await joinRefusal(gateway.component.routerUrl, uri, login)).to.equal(refusal)
      await untilHolds(() => told().length > 0)
      const [{ time: _time, node: _node, ...first } = {}, ...more] = told()
      expect(more).to.deep.equal([])
      const peer = '127.0.0.1'
      expect(first).to.deep.equal({ level: 'warn', msg: 'login refused', peer, ...line })
      expect(JSON.stringify(lines).toLowerCase()).to.not.contain(canary.toLowerCase())
    })
  }

  it('of management has one line', async () => {
    const answer = await send(gateway.adminUrl, '/realms', { headers: bearer(canary) })
    expect(answer.status).to.equal(401)
    await untilHolds(() => told().length > 0)
    expect(told()).to.have.length(1)
    const reason = 'neither a valid API key nor an access token'
    expect(told()[0]).to.include({ msg: 'login refused', route: '/realms', reason })
    expect(JSON.stringify(lines)).to.not.contain(canary)
  })

  it('is not a request without credentials', async () => {
    const answer = await ask(['/doors/basic', {}])
    expect(answer.status).to.equal(401)
    await untilHolds(() => lines.some(({ msg }) => msg === 'request'))
    expect(told()).to.deep.equal([])
  })

  it('that was not tried, because too many had failed, says so', async () => {
    const guess = () => ask(['/doors/basic', { headers: basic('app', canary) }])
    for (let count = 0; count < 20; count++) {
      clock.aheadMs += 1_000
      await guess()
    }
    lines.length = 0
    expect((await guess()).status).to.equal(429)
    await untilHolds(() => told().length > 0)
    expect(told()[0]).to.include({ authid: 'app', reason: 'too many failed logins', status: 429 })
  })
})
