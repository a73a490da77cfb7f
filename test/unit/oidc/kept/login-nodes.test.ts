/** Nodes with a store each: what a node does not keep of a login is asked of the node that did it. */
import { expect } from 'chai'
import { answerNode } from '#component/oidc/kept/login-nodes.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import type { KeptLogins } from '#component/wiring/logins/open-kept-logins.ts'
import { MemoryLogins } from '#test/unit/oidc/kept/memory-logins.ts'
import { clock, freshLogins, node, provider } from '#test/unit/oidc/login-fixture.ts'
import { reasonOf } from '#test/unit/token/doubles.ts'

const [interval, grace] = [60, 600]
const pass = (seconds: number) => {
  clock.ms += seconds * 1_000
}
const asked = () => provider.asked.filter((line) => line === 'POST /token').length - 1

describe('a node that does not keep a login', () => {
  freshLogins()
  let claims: TicketClaims
  let other: KeptLogins
  let isAway: boolean
  let questions: [string, unknown][]
  let changed: readonly string[][]

  beforeEach(async () => {
    await node.declare({
      ...{ recheck_interval: interval, recheck_grace: grace, pass_access_token: true },
    })
    provider.givesRefreshTokens = true
    claims = (await node.logIn()).claims
    provider.accessToken = 'the-second-token'
    isAway = false
    questions = []
    changed = []
    other = node.openKept('b', new MemoryLogins())
    other.nodes.ask = async (name, question) => {
      questions.push([name, question.wants])
      if (isAway) throw new Error('nobody has registered it')
      return answerNode(JSON.parse(JSON.stringify(question)), node)
    }
  })

  const roles = async () => {
    const current = await other.rechecks.current(claims, ({ authroles }) => {
      changed = [...changed, [...authroles]]
    })
    return current.authroles
  }

  it('has the roles that the provider has told the node of the login, which alone asks', async () => {
    provider.person = { ...provider.person, roles: ['admins'] }
    expect([await roles(), questions]).to.deep.equal([['staff'], []])
    pass(interval)
    expect([await roles(), changed]).to.deep.equal([['admins'], [['admins']]])
    expect([questions, asked()]).to.deep.equal([[['a', 'standing']], 1])
    expect(await roles(), 'within the interval').to.deep.equal(['admins'])
    expect((await node.rechecks.current(claims, () => undefined)).authroles).to.deep.equal([
      'admins',
    ])
    expect([questions.length, asked(), node.sessionCounts.rechecks.changed]).to.deep.equal([
      1, 1, 1,
    ])
  })

  it('refuses a ticket whose login the provider has ended', async () => {
    provider.refreshToken = undefined
    pass(interval)
    expect(await reasonOf(roles)).to.equal('the provider has ended the login')
    expect(node.sessionCounts.rechecks.ended).to.equal(1)
  })

  for (const [what, fail] of [
    ['does not answer', () => (isAway = true)],
    [
      'cannot ask the provider',
      () => (provider.twist = { answers: { '/token': { status: 503 } } }),
    ],
    ['keeps nothing of it any more', () => node.kept.rows.clear()],
  ] as const) {
    it(`serves on where the node of the login ${what}, until the grace has passed`, async () => {
      fail()
      pass(interval)
      expect(await roles()).to.deep.equal(['staff'])
      pass(29)
      await roles()
      expect(questions, 'asked again every 30 s').to.have.length(1)
      pass(grace - 29)
      expect(await roles()).to.deep.equal(['staff'])
      pass(1)
      expect(await reasonOf(roles)).to.equal(
        'the login could not be checked at its provider for too long',
      )
    })
  }

  it('gives the access token that the node of the login keeps and renews', async () => {
    expect(await other.providerTokens.of(claims)).to.equal('the-access-token')
    pass(600)
    expect(await other.providerTokens.of(claims)).to.equal('the-second-token')
    expect([questions.map(([, wants]) => wants), asked()]).to.deep.equal([['token', 'token'], 1])
  })

  it('has no access token where the node of the login is away', async () => {
    isAway = true
    const found = await Promise.resolve(other.providerTokens.of(claims)).catch(
      (error: { uri?: string }) => error.uri,
    )
    expect(found).to.equal('service.error.unavailable')
  })

  it('asks nobody about a login of its own, or where all have one store', async () => {
    const own = { ...claims, issued_on: 'b' }
    expect(await reasonOf(() => other.providerTokens.of(own))).to.include('log in again')
    other.nodes.ask = undefined
    expect(await reasonOf(() => other.providerTokens.of(claims))).to.include('log in again')
    expect(questions).to.deep.equal([])
  })

  for (const question of [{}, { wants: 'token' }, { wants: 'standing', claims: 'x' }]) {
    it(`answers nothing to ${JSON.stringify(question)}`, async () => {
      expect(await answerNode(question, node)).to.deep.equal({})
    })
  }
})
