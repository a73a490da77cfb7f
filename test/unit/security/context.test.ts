/** `security` of the API Context on protected paths: the identity's keys over those of the security object. */
import { expect } from 'chai'
import { openSchemes } from '#component/security/schemes.ts'
import { TokenError } from '#component/token/token-error.ts'
import { bodyOf, documentOf, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import { anyIssuer, FakeAttempts, FakeLogins, noIssuers, noLogins, realm_uri } from './doubles.ts'

const basic = `Basic ${Buffer.from('ada:pass:word').toString('base64')}`

const openDoubles = () =>
  openSchemes({
    accessTokens: {
      verify() {
        throw new TokenError('the token is malformed')
      },
    },
    logins: new FakeLogins(),
    apiKeys: { find: () => undefined },
    attempts: new FakeAttempts(),
    ...noLogins,
    ...noIssuers,
    issuers: anyIssuer,
  })

/** Answers the body on a path under `basic`, asked by ada. */
async function evaluate(body: unknown, headers: Record<string, string> = { authorization: basic }) {
  const security = { type: 'basic', schemes: ['http'] }
  const document = documentOf({ '/x': { security, get: fixed(body) } }, { realm_uri })
  const served = serve(document, undefined, undefined, openDoubles())
  const reply = await served.ask('GET /v1/x', { headers })
  return { reply, performed: served.performed }
}

describe('security of the context', () => {
  for (const [expression, value] of [
    ['{{security.authid}}', 'ada'],
    ['{{security.username}}', 'ada'],
    ['{{security.authmethod}}', 'basic'],
    ['{{security.authroles}}', ['staff', 'buyers']],
    ['{{security.authroles |> head}}', 'staff'],
    ['{{security.groups}}', ['staff', 'buyers']],
    ['{{security.realm_uri}}', realm_uri],
    ['{{security.locale}}', 'de'],
    ['{{security.meta.age}}', 7],
    ['{{security.meta |> get(nickname, none)}}', 'none'],
    ['{{security |> get(client_id, none)}}', 'none'],
    ['user {{security.authid}} of {{security.realm_uri}}', `user ada of ${realm_uri}`],
    ['{{security.type}}', 'basic'],
    ['{{security.schemes}}', ['http']],
  ] as const) {
    it(`evaluates ${expression}`, async () => {
      const { reply } = await evaluate(expression)
      expect([reply.status, bodyOf(reply)]).to.deep.equal([200, value])
    })
  }

  it('fails for a key that the identity does not have', async () => {
    expect((await evaluate('{{security.client_id}}')).reply.status).to.equal(500)
    expect((await evaluate('{{security.meta.nickname}}')).reply.status).to.equal(500)
  })

  it('is that of the path, whichever the user has asked before', async () => {
    const path = (scheme: string) => ({
      security: { type: 'basic', schemes: [scheme, 'http'] },
      get: fixed('{{security.schemes |> head}}'),
    })
    const document = documentOf({ '/x': path('https'), '/y': path('http') }, { realm_uri })
    const served = serve(document, undefined, undefined, openDoubles())
    for (const [line, scheme] of [
      ['GET /v1/x', 'https'],
      ['GET /v1/y', 'http'],
      ['GET /v1/x', 'https'],
    ] as const) {
      const reply = await served.ask(line, { headers: { authorization: basic } })
      expect(bodyOf(reply)).to.equal(scheme)
    }
  })

  it('is what the action runs as', async () => {
    const { performed } = await evaluate('x')
    expect(performed[0]?.run.identity).to.include({ authid: 'ada', authmethod: 'basic', realm_uri })
  })

  it('exists for nobody who may not pass', async () => {
    const { reply, performed } = await evaluate('{{security.authid}}', {})
    expect(reply.status).to.equal(401)
    expect(performed).to.deep.equal([])
  })
})
