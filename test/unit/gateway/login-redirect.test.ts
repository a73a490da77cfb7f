/** Pages under `oidc` send browsers that are not logged in to the login; everything else is told 401. */
import { expect } from 'chai'
import { bodyOf, documentOf, fixed, serve } from './fake-exchange.ts'

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const document = (security: object, base_path = '/v1', path = '/x') =>
  documentOf({ [path]: { security, get: fixed(), post: fixed() } }, {}, { base_path })

const oidc = { type: 'oidc', provider: 'a&b' }

describe('a request without a valid ticket', () => {
  it('for a page is redirected to the login, which leads back', async () => {
    const { ask, performed } = serve(document(oidc))
    const { status, headers, body, error } = await ask('GET /v1/x?a=1&b=%20', {
      headers: { accept: page },
    })
    expect([status, body.kind, error?.uri]).to.deep.equal([
      302,
      'none',
      'service.error.unauthorized',
    ])
    expect(headers).to.include({
      location: '/v1/oidc/login?provider=a%26b&redirect_uri=%2Fv1%2Fx%3Fa%3D1%26b%3D%2520',
      'cache-control': 'no-store',
    })
    expect(headers.vary).to.contain('Accept')
    expect(headers).not.to.have.property('www-authenticate')
    expect(performed).to.deep.equal([])
  })

  for (const [what, line, headers, security] of [
    ['by a script', 'GET /v1/x', { accept: '*/*' }, oidc],
    ['that says nothing of pages', 'GET /v1/x', {}, oidc],
    ['that does not want pages', 'GET /v1/x', { accept: 'application/json,text/html;q=0' }, oidc],
    ['by HEAD', 'HEAD /v1/x', { accept: page }, oidc],
    ['by POST', 'POST /v1/x', { accept: page }, oidc],
    ['under basic', 'GET /v1/x', { accept: page }, { type: 'basic' }],
    ['under oauth2', 'GET /v1/x', { accept: page }, { type: 'oauth2', flow: 'client_credentials' }],
  ] as const) {
    it(`${what} is told 401`, async () => {
      const { status, headers: told } = await serve(document(security)).ask(line, { headers })
      expect(status).to.equal(401)
      expect(told).to.have.property('www-authenticate')
      expect(told).not.to.have.property('location')
    })
  }

  for (const [base, path, line, login, back] of [
    ['/api/[v1.0]', '/x', '/api/x', '/api/v1.0', '/api/x'],
    ['/[:tenant]/v1', '/x', '/v1/x', '/v1', '/v1/x'],
    ['/[:tenant]/v1', '/x', '/a%20b/v1/x', '/a%20b/v1', '/a%20b/v1/x'],
    ['/', '/x', '/x', '', '/x'],
    ['/v1', '/[...]', '/v1/a/b/', '/v1', '/v1/a/b/'],
    // what a login would not lead back to is shortened
    ['/v1', '/x', '/v1/x?to=%2Fy', '/v1', '/v1/x'],
    ['/v1', '/x', `/v1/x?${'a'.repeat(8_000)}`, '/v1', `/v1/x?${'a'.repeat(8_000)}`],
    ['/v1', '/x', `/v1/x?b=${'a'.repeat(9_000)}`, '/v1', '/v1/x'],
    ['/v1', '/:name', `/v1/${'a'.repeat(9_000)}`, '/v1', '/'],
    ['/v1', '/:name', '/v1/%00', '/v1', '/'],
  ] as const) {
    it(`at ${line.slice(0, 30)} goes to ${login}/oidc/login and back to ${back.slice(0, 30)}`, async () => {
      const { ask } = serve(document(oidc, base, path))
      const { headers } = await ask(`GET ${line}`, { headers: { accept: page } })
      const location = new URL(String(headers.location), 'https://a')
      expect(location.pathname).to.equal(`${login}/oidc/login`)
      expect(location.searchParams.get('redirect_uri')).to.equal(back)
    })
  }

  const realm = 'com.example.realm'
  const ticketOf = (iat: number, oidc_provider = 'a&b') => {
    const payload = Buffer.from(JSON.stringify({ iat, oidc_provider })).toString('base64url')
    return `service_ticket_${realm}=x.${payload}.y`
  }
  const marker = `__Host-service_return_${realm}=1`
  const again = '/v1/oidc/login?provider=a%26b&amp;redirect_uri=%2Fv1%2Fx%3Fa%3D%2522'

  for (const [what, cookie, reason, href] of [
    ['two tickets', `${ticketOf(1)}; ${ticketOf(2)}`, 'two_tickets', again],
    ['no ticket right after a login', marker, 'ticket_not_sent', '/v1/x?a=%22'],
    ['a ticket that was just issued', ticketOf(-20), 'ticket_refused', again],
    ['an old ticket right after a login', `${ticketOf(-31)}; ${marker}`, 'ticket_refused', again],
  ] as const) {
    it(`with ${what} is told so by a page with a way on`, async () => {
      const { ask } = serve(document(oidc))
      const reply = await ask('GET /v1/x?a=%22', { headers: { accept: page, cookie } })
      const html = String(bodyOf(reply))
      expect([reply.status, reply.headers.location]).to.deep.equal([401, undefined])
      expect(html).to.include(reason).and.include(`href="${href}"`)
      expect(html).to.have.length.below(4_096)
      expect(reply.headers).to.include({ 'cache-control': 'no-store' })
    })
  }

  for (const [what, cookie] of [
    ['an old ticket', ticketOf(-31)],
    ['a ticket that was just issued for another provider', ticketOf(-1, 'other')],
    ['what is no ticket', `service_ticket_${realm}=x`],
    ['the ticket of another realm', `${ticketOf(1).replace('_com', '_org')}`],
  ]) {
    it(`with ${what} is redirected to the login`, async () => {
      const { ask } = serve(document(oidc))
      const headers = { accept: page, cookie: `${cookie}` }
      expect((await ask('GET /v1/x', { headers })).status).to.equal(302)
    })
  }

  it('goes to the provider `default` where none is named', async () => {
    const { ask } = serve(document({ type: 'oidc' }))
    const { headers } = await ask('GET /v1/x', { headers: { accept: page } })
    expect(headers.location).to.contain('provider=default')
  })
})
