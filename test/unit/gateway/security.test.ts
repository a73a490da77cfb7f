/** A secured path whose scheme refuses: 401 with the challenge of its type, and nothing else happens. */
import { expect } from 'chai'
import { isSecurityType } from '#component/security/kinds.ts'
import { documentOf, FakeExchange, fixed, serve } from './fake-exchange.ts'

const oauth2 = { type: 'oauth2', flow: 'client_credentials' }
const realm = 'realm="com.example.realm"'

/** Security, Authorization header, challenge. */
const rows = [
  [{ type: 'basic' }, undefined, `Basic ${realm}, charset="UTF-8"`],
  [{ type: 'basic' }, 'Basic YTpi', `Basic ${realm}, charset="UTF-8"`],
  [{ type: 'api_key' }, undefined, `ApiKey ${realm}`],
  [oauth2, undefined, `Bearer ${realm}`],
  [oauth2, 'Basic YTpi', `Bearer ${realm}`],
  [
    oauth2,
    'Bearer abc',
    `Bearer ${realm}, error="invalid_token", error_description="the token is not valid here"`,
  ],
  [{ type: 'oidc' }, undefined, `Bearer ${realm}`],
] as const

describe('a secured path', () => {
  for (const [security, authorization, challenge] of rows) {
    it(`of type ${security.type} answers ${authorization ?? 'nobody'} with ${challenge}`, async () => {
      const served = serve(documentOf({ '/x': { security, get: fixed(), post: fixed() } }))
      const headers = authorization ? { authorization } : {}
      for (const line of ['GET /v1/x', 'HEAD /v1/x', 'POST /v1/x']) {
        const reply = await served.ask(line, { headers })
        expect(reply.status).to.equal(401)
        expect(reply.headers['www-authenticate']).to.equal(challenge)
      }
      expect(served.performed).to.deep.equal([])
    })
  }

  it('does not read the body of a request that it refuses', async () => {
    const exchange = new FakeExchange('POST /v1/x', { body: '{' })
    await serve(documentOf({ '/x': { security: oauth2, post: fixed('{{request.body}}') } })).handle(
      exchange,
    )
    expect(exchange.bodyUse).to.equal(undefined)
  })

  it('quotes a realm for the header', async () => {
    const document = { ...documentOf({ '/x': { security: oauth2, get: fixed() } }) }
    const { headers } = await serve({ ...document, realm_uri: 'com.a"b\\c.é' }).ask('GET /v1/x')
    expect(headers['www-authenticate']).to.equal('Bearer realm="com.a\\"b\\\\c."')
  })

  it('has one of four types', () => {
    for (const type of ['basic', 'api_key', 'oauth2', 'oidc'])
      expect(isSecurityType(type)).to.equal(true)
    for (const type of ['magic', '', undefined, {}, 'toString'])
      expect(isSecurityType(type)).to.equal(false)
  })
})
