/** Paths with several kinds of credentials: which alternative decides, and what everybody else is told. */
import { expect } from 'chai'
import type { InheritedValues } from '#component/gateway/api.ts'
import type { Decision } from '#component/security/alternatives/authenticate.ts'
import type { SecurityType } from '#component/security/kinds.ts'
import { Reauthentication } from '#component/security/reauthentication.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import {
  bodyOf,
  documentOf,
  FakeExchange,
  fixed,
  issuesOf,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { meta } from '#test/unit/gateway/tools/fixture.ts'
import { realm_uri, requestWith } from './doubles.ts'
import {
  type Brings,
  brought,
  type Given,
  objects,
  openSeveral,
  ticketOf,
  tokenOf,
  withCsrf,
} from './several.ts'

const types = Object.keys(objects) as SecurityType[]
const given: readonly Given[] = ['none', 'right', 'wrong']

const whoAsks = fixed({ authid: '{{security.authid}}', via: '{{security.via}}' })

const documentUnder = (security: object, more: object = {}) =>
  documentOf({ '/x': { security, get: whoAsks, post: whoAsks } }, { realm_uri }, more)

/** A path under the security, and what it answers to requests. */
function stage(security: object, ports: Parameters<typeof openSeveral>[0] = {}, version = {}) {
  const several = openSeveral(ports)
  const document = documentUnder(security, version)
  const served = serve(document, undefined, undefined, several.schemes, ['https://page.example'])
  const ask = async (
    brings: readonly Brings[],
    { line = 'GET /v1/x', headers = {}, peer = '192.0.2.1' } = {},
  ) => {
    const all = brings.map((one) => one.headers ?? {})
    const cookie = [headers, ...all].flatMap((one) => (one as { cookie?: string }).cookie ?? [])
    const exchange = new FakeExchange(line, {
      peer,
      headers: Object.assign(
        { host: 'localhost' },
        headers,
        ...all,
        cookie.length > 0 ? { cookie: cookie.join('; ') } : {},
      ),
    })
    const proof = brings.find(({ certificate }) => certificate)?.certificate
    Object.assign(exchange, { clientCertificate: () => proof })
    const reply = await served.handle(exchange)
    if (!reply) throw new TypeError(line)
    const lines = reply.headers['www-authenticate']
    return { ...reply, value: bodyOf(reply), lines, via: exchange, cookies: cookiesOf(exchange) }
  }
  return { ...several, ask }
}

const cookiesOf = (exchange: FakeExchange) => (exchange as { cookies?: unknown }).cookies

const inAuthorization: readonly SecurityType[] = ['oauth2', 'jwt', 'basic']

/** What the rules say of a pair of types; undefined: no load lets it pass. */
function ruled(mode: 'any' | 'optional' | 'all', pair: readonly SecurityType[]) {
  const [first, second] = pair as readonly [SecurityType, SecurityType]
  const both = inAuthorization.includes(first) && inAuthorization.includes(second)
  if (mode === 'all' ? both : first === 'forward_auth') return undefined
  if (mode === 'optional' && pair.includes('forward_auth')) return undefined
  return (has: readonly Given[]): string => {
    const there = pair.filter((type, at) => type === 'forward_auth' || has[at] !== 'none')
    const isRight = (type: SecurityType) => has[pair.indexOf(type)] === 'right'
    if (mode === 'all') {
      return there.length === 2 && pair.every(isRight) ? `200 ${first}+${second}` : '401'
    }
    const [decides] = there
    if (decides !== undefined) return isRight(decides) ? `200 ${decides}` : '401'
    return mode === 'optional' ? '200 anonymous' : '401'
  }
}

const securityOf = (mode: 'any' | 'optional' | 'all', pair: readonly SecurityType[]) => {
  const those = pair.map((type) => objects[type])
  if (mode === 'all') return { all: those }
  return { any: those, ...(mode === 'optional' && { optional: true }) }
}

describe('each pair of types of security', () => {
  for (const mode of ['any', 'optional', 'all'] as const) {
    it(`lets pass by the rules of ${mode}`, async () => {
      const wrong: string[] = []
      let count = 0
      for (const one of types) {
        for (const other of types) {
          if (one === other) continue
          const pair = [one, other]
          const rule = ruled(mode, pair)
          const security = securityOf(mode, pair)
          const issues = issuesOf(documentUnder(security))
          expect(issues.length > 0, `${mode} ${pair}`).to.equal(rule === undefined)
          if (rule === undefined) continue
          const { ask } = stage(security)
          for (const first of given) {
            for (const second of given) {
              const isTwice = pair.every((type) => inAuthorization.includes(type))
              if (isTwice && first !== 'none' && second !== 'none') continue
              const { status, value } = await ask([brought[one][first], brought[other][second]])
              const via = status === 200 ? ` ${(value as { via: string }).via}` : ''
              const expected = rule([first, second])
              count += 1
              if (`${status}${via}` === expected) continue
              wrong.push(`${mode} ${one} ${first}, ${other} ${second}: ${status}${via}`)
            }
          }
        }
      }
      expect(wrong).to.deep.equal([])
      expect(count).to.be.greaterThan(300)
    })
  }
})

const { api_key, jwt, oidc, basic, mtls, oauth2, forward_auth } = objects
const bearerOf = (claims: object): Brings => ({
  headers: { authorization: `Bearer ${tokenOf('JWT', claims)}` },
})
const corp = 'https://corp.example.com'

describe('a path with alternatives', () => {
  it('refuses a wrong credential before a right one of a later alternative', async () => {
    const { ask } = stage({ any: [jwt, api_key] })
    const reply = await ask([brought.jwt.wrong, brought.api_key.right])
    expect([reply.status, reply.lines]).to.deep.equal([
      401,
      [
        `Bearer realm="${realm_uri}", error="invalid_token", error_description="the token has expired"`,
        `ApiKey realm="${realm_uri}"`,
      ],
    ])
  })

  it('verifies one credential of a request that brings all', async () => {
    const { ask, state } = stage({ any: [jwt, oidc, mtls, api_key] })
    const all = [brought.jwt.right, brought.oidc.right, brought.mtls.right, brought.api_key.right]
    expect((await ask(all)).value).to.deep.equal({ authid: 'ada', via: 'jwt' })
    expect(state.verified).to.equal(1)
  })

  it('counts at most one wrong credential of a request', async () => {
    const { ask, attempts } = stage({ any: [api_key, basic] })
    await ask([brought.api_key.wrong, brought.basic.wrong])
    expect(attempts.failures).to.have.length(1)
  })

  it('answers 401 with each challenge on a line of its own, and one Bearer', async () => {
    const scoped = { ...jwt, scopes: ['orders:read'] }
    const { ask } = stage({ any: [api_key, oauth2, scoped, { ...basic, name: 'old' }, mtls] })
    expect((await ask([])).lines).to.deep.equal([
      `ApiKey realm="${realm_uri}"`,
      `Bearer realm="${realm_uri}", scope="orders:read"`,
      `Basic realm="${realm_uri}", charset="UTF-8"`,
      `ClientCertificate realm="${realm_uri}"`,
    ])
  })

  it('tells a browser nothing of Basic beside a login', async () => {
    const { ask } = stage({ any: [basic, oidc] })
    const headers = { 'sec-fetch-mode': 'cors' }
    const bearer = [`Bearer realm="${realm_uri}"`]
    expect((await ask([], { headers })).lines).to.deep.equal(bearer)
    expect((await ask([brought.basic.wrong], { headers })).lines).to.deep.equal(bearer)
    expect((await ask([])).lines).to.have.length(2)
    const alone = stage({ any: [basic, api_key] })
    expect((await alone.ask([], { headers })).lines).to.have.length(2)
  })

  for (const [what, token] of [
    ['of an unknown issuer', tokenOf('JWT', { iss: 'https://other.example.com' })],
    ['that is no JWT', 'opaque'],
    ['of a ticket of another provider', ticketOf('ada', 'other')],
    ['that is too long', tokenOf('JWT', { iss: corp, ok: true, fill: 'x'.repeat(20_000) })],
    ['without an issuer', tokenOf('JWT', { sub: 'ada', ok: true })],
  ] as const) {
    it(`refuses a Bearer token ${what} as invalid`, async () => {
      const { ask } = stage({ any: [jwt, oauth2, oidc], optional: true })
      const { status, lines } = await ask([{ headers: { authorization: `Bearer ${token}` } }])
      expect(status).to.equal(401)
      expect(lines).to.have.length(1)
      expect(String(lines)).to.contain('error="invalid_token"')
    })
  }

  it('judges alternatives that differ in scopes alone at once, and tells the scopes of the first', async () => {
    const read = { ...jwt, scopes: ['read'] }
    const { ask } = stage({ any: [read, { ...jwt, scopes: ['write'], name: 'writer' }, api_key] })
    const tokenWith = (...scopes: string[]) => bearerOf({ iss: corp, sub: 'ada', ok: true, scopes })
    expect((await ask([tokenWith('read')])).value).to.deep.equal({ authid: 'ada', via: 'jwt' })
    expect((await ask([tokenWith('write')])).value).to.deep.equal({ authid: 'ada', via: 'writer' })
    const { status, lines } = await ask([tokenWith('other'), brought.api_key.right])
    expect(status).to.equal(403)
    expect(lines).to.match(/error="insufficient_scope".*scope="read"$/)
  })

  it('refuses a user without the roles of the alternative that decides, whatever another one would let pass', async () => {
    const ofAdmins = { ...api_key, roles: ['admins'] }
    const both = [brought.api_key.right, brought.jwt.right]
    expect((await stage({ any: [ofAdmins, jwt] }).ask(both)).status).to.equal(403)
    expect(
      (await stage({ any: [{ ...api_key, roles: ['staff'] }, jwt] }).ask(both)).status,
    ).to.equal(200)
    expect((await stage({ all: [jwt, ofAdmins] }).ask(both)).status).to.equal(403)
    expect(
      (await stage({ any: [{ ...api_key, authids: ['joe'] }], optional: true }).ask(both)).status,
    ).to.equal(403)
  })

  it('neither judges nor offers an alternative from elsewhere than its networks', async () => {
    const monitoring = { ...basic, allow_from: ['10.0.0.0/8'] }
    const { ask } = stage({ any: [monitoring, api_key] })
    const inside = { peer: '10.1.2.3' }
    expect((await ask([brought.basic.right], inside)).status).to.equal(200)
    expect((await ask([brought.basic.wrong, brought.api_key.right], inside)).status).to.equal(401)
    expect((await ask([brought.basic.wrong, brought.api_key.right])).status).to.equal(200)
    const { status, lines } = await ask([brought.basic.right])
    expect([status, lines]).to.deep.equal([401, [`ApiKey realm="${realm_uri}"`]])
  })

  it('is optional for what brings nothing, and for nothing else', async () => {
    const both = { all: [jwt, { ...mtls }] }
    const { ask } = stage({ any: [both, api_key, oidc], optional: true })
    const nobody = { authid: 'anonymous', via: 'anonymous' }
    const statusOf = async (...brings: Brings[]) => {
      const { status, value } = await ask(brings)
      return status === 200 ? value : status
    }
    expect(await statusOf()).to.deep.equal(nobody)
    // sent unasked, and of no alternative alone
    expect(await statusOf(brought.mtls.right)).to.deep.equal(nobody)
    const cookie = {
      headers: { cookie: `service_ticket_${realm_uri}=${ticketOf('ada', 'other')}` },
    }
    expect(await statusOf(cookie)).to.deep.equal(nobody)
    expect(await statusOf(brought.jwt.right)).to.equal(401)
    expect(await statusOf(brought.basic.right)).to.equal(401)
    expect(await statusOf(brought.api_key.wrong)).to.equal(401)
    expect(await statusOf({ headers: { authorization: 'Other x' } })).to.equal(401)
    const unreadable = { headers: { cookie: `service_ticket_${realm_uri}=x` } }
    expect(await statusOf(unreadable)).to.equal(401)
  })

  it('asks for the CSRF value where the ticket cookie decides, whatever Bearer is beside it', async () => {
    const { ask } = stage({ any: [jwt, oidc] })
    const foreign = bearerOf({ iss: 'https://other.example.com' })
    const line = 'POST /v1/x'
    expect((await ask([brought.oidc.right, foreign], { line })).status).to.equal(403)
    const headers = withCsrf(ticketOf('ada'))
    expect((await ask([foreign], { line, headers })).value).to.deep.equal({
      authid: 'ada',
      via: 'oidc',
    })
  })

  it('refuses what a page of another origin has a browser send unasked, beside a login', async () => {
    const { ask } = stage({ any: [basic, mtls, oidc] }, { corsOrigins: ['https://page.example'] })
    const statusOf = async (one: Brings, origin?: string, line = 'POST /v1/x') =>
      (await ask([one], { line, headers: origin === undefined ? {} : { origin } })).status
    for (const one of [brought.basic.right, brought.mtls.right]) {
      expect(await statusOf(one, 'https://evil.example')).to.equal(403)
      expect(await statusOf(one, 'null')).to.equal(403)
      expect(await statusOf(one, 'https://evil.example', 'GET /v1/x')).to.equal(200)
      expect(await statusOf(one, 'http://localhost')).to.equal(200)
      expect(await statusOf(one, 'https://page.example')).to.equal(200)
      expect(await statusOf(one)).to.equal(200)
    }
    const without = stage({ any: [basic, api_key] })
    const headers = { origin: 'https://evil.example' }
    const { status } = await without.ask([brought.basic.right], { line: 'POST /v1/x', headers })
    expect(status).to.equal(200)
    const named = stage({ any: [basic, oidc] }, {}, { cors: { origins: ['https://evil.example'] } })
    const allowed = await named.ask([brought.basic.right], { line: 'POST /v1/x', headers })
    expect(allowed.status).to.equal(200)
  })

  const page = { headers: { accept: 'text/html' } }

  it('sends a person to the login where one would decide, and nobody after a wrong key', async () => {
    const { ask } = stage({ any: [api_key, jwt, basic, oidc] })
    const statusOf = async (...brings: Brings[]) => (await ask(brings, page)).status
    expect(await statusOf()).to.equal(302)
    expect(await statusOf(brought.oidc.wrong)).to.equal(302)
    expect(await statusOf(brought.api_key.wrong)).to.equal(401)
    expect(await statusOf(brought.jwt.wrong)).to.equal(401)
    expect(await statusOf(brought.basic.wrong)).to.equal(401)
    expect(await statusOf(bearerOf({ iss: 'https://other.example.com' }))).to.equal(401)
    const ticket = { headers: { authorization: `Bearer ${ticketOf('eve')}` } }
    expect(await statusOf(ticket)).to.equal(401)
    expect((await stage({ any: [api_key, jwt] }).ask([], page)).status).to.equal(401)
    const strong = stage({ any: [api_key, { all: [oidc, mtls] }] })
    expect((await strong.ask([], page)).status).to.equal(401)
    expect((await strong.ask([brought.mtls.right], page)).status).to.equal(302)
  })

  it('takes a dead ticket from a person who may go on without', async () => {
    const clearedCookies = () => ['ticket=; Max-Age=0', 'csrf=; Max-Age=0']
    const { ask } = stage({ any: [oidc], optional: true }, { clearedCookies })
    const dead = await ask([brought.oidc.wrong], page)
    expect(dead.status).to.equal(401)
    expect(dead.cookies).to.deep.equal(clearedCookies())
    expect(dead.value).to.contain('Continue').and.contain('Log in again')
    const program = await ask([brought.oidc.wrong])
    expect([program.status, program.cookies]).to.deep.equal([401, clearedCookies()])
  })

  it('lets a person choose where several logins would decide, and the realm has a page for it', async () => {
    const two = { any: [oidc, { ...oidc, provider: 'partners', name: 'partners' }] }
    const location = async (security: object, ports: object) =>
      String((await stage(security, ports).ask([], page)).headers.location)
    const hasLoginPage = () => true
    expect(await location(two, { hasLoginPage })).to.equal('/v1/oidc/login?redirect_uri=%2Fv1%2Fx')
    expect(await location(two, {})).to.contain('provider=main&')
    expect(await location({ any: [oidc] }, { hasLoginPage })).to.contain('provider=main&')
  })

  it('says by which fields answers differ where a request may come without any', async () => {
    const many = { any: [api_key, oidc, jwt, mtls], optional: true }
    const variesBy = async (security: object, brings: readonly Brings[]) =>
      String((await stage(security).ask(brings)).headers.vary)
    const fields = 'Authorization, Cookie, x-api-key'
    for (const brings of [[], [brought.api_key.right], [brought.api_key.wrong]]) {
      expect(await variesBy(many, brings)).to.contain(fields)
    }
    expect(await variesBy({ any: [api_key] }, [])).to.not.contain('Authorization')
  })

  it('passes the answer of another service on, with the challenges of all', async () => {
    const { ask } = stage({ any: [api_key, forward_auth] })
    const { status, lines } = await ask([])
    expect([status, lines]).to.deep.equal([401, [`ApiKey realm="${realm_uri}"`, 'Other']])
  })

  it('counts decisions by the name of the alternative', async () => {
    const counted: [string, Decision][] = []
    const decisions = {
      decided: (_version: object, via: string, result: Decision) =>
        void counted.push([via, result]),
    }
    const security = {
      any: [{ ...api_key, name: 'machine' }, { all: [jwt, mtls] }],
      optional: true,
    }
    const { ask } = stage(security, { decisions })
    for (const brings of [
      [brought.api_key.right],
      [brought.api_key.wrong],
      [brought.jwt.right, brought.mtls.right],
      [brought.jwt.right],
      [bearerOf({ iss: 'https://other.example.com' })],
      [],
    ]) {
      await ask(brings)
    }
    expect(counted).to.deep.equal([
      ['machine', 'passed'],
      ['machine', 'unauthorized'],
      ['jwt+mtls', 'passed'],
      ['', 'missing'],
      ['', 'unauthorized'],
      ['anonymous', 'passed'],
    ])
  })
})

describe('alternatives of a document', () => {
  const security = { any: [{ ...api_key, name: 'machine' }, jwt] }
  const statusOf = async (document: object, target: string, brings: Brings) => {
    const served = serve(document, undefined, undefined, openSeveral().schemes)
    const reply = await served.ask(`GET /v1${target}`, { headers: brings.headers ?? {} })
    return [reply.status, (bodyOf(reply) as { via?: string }).via]
  }
  const paths = { '/x': { get: whoAsks }, '/open': { security: {}, get: fixed({}) } }
  for (const [where, document] of [
    ['defaults', documentOf(paths, { realm_uri, defaults: { security } })],
    ['variables', documentOf(paths, { realm_uri, variables: { security } })],
    ['the version', documentOf(paths, { realm_uri }, { defaults: { security } })],
  ] as const) {
    it(`are inherited as a whole from ${where}, and taken back by {}`, async () => {
      expect(await statusOf(document, '/x', brought.api_key.right)).to.deep.equal([200, 'machine'])
      expect(await statusOf(document, '/x', brought.jwt.right)).to.deep.equal([200, 'jwt'])
      expect((await statusOf(document, '/x', {}))[0]).to.equal(401)
      expect((await statusOf(document, '/open', {}))[0]).to.equal(200)
    })
  }

  it('take the place of those above as a whole', async () => {
    const own = { '/x': { security: { any: [basic] }, get: whoAsks } }
    const document = documentOf(own, { realm_uri, defaults: { security } })
    expect((await statusOf(document, '/x', brought.api_key.right))[0]).to.equal(401)
    expect(await statusOf(document, '/x', brought.basic.right)).to.deep.equal([200, 'basic'])
  })

  it('say who may read the description of a version', async () => {
    const openapi = { path: '/openapi', security }
    const document = documentOf({ '/x': { get: fixed({}) } }, { realm_uri }, { openapi })
    expect((await statusOf(document, '/openapi', {}))[0]).to.equal(401)
    expect((await statusOf(document, '/openapi', brought.jwt.right))[0]).to.equal(200)
    expect((await statusOf(document, '/x', {}))[0]).to.equal(200)
  })
})

describe('an alternative of several members', () => {
  const proofs = fixed({
    ...{ authid: '{{security.authid}}', roles: '{{security.authroles}}' },
    ...{ proofs: '{{security.proofs}}', via: '{{security.via}}', type: '{{security.type}}' },
  })
  const ofAda = Object.assign({}, brought.jwt.right.headers, brought.api_key.right.headers)

  it('is its first member, with the names of the others', async () => {
    const several = openSeveral()
    const security = { all: [{ ...jwt, name: 'corp' }, mtls, { ...api_key, name: 'app' }] }
    const document = documentOf({ '/x': { security, get: proofs } }, { realm_uri })
    const served = serve(document, undefined, undefined, several.schemes)
    const exchange = new FakeExchange('GET /v1/x', { headers: ofAda })
    Object.assign(exchange, {
      clientCertificate: () => Promise.resolve(brought.mtls.right.certificate),
    })
    const reply = await served.handle(exchange)
    expect(reply && bodyOf(reply)).to.deep.equal({
      ...{ authid: 'ada', roles: ['staff'], via: 'corp+mtls+app', type: 'jwt' },
      proofs: [
        { name: 'mtls', authid: 'ada' },
        { name: 'app', authid: 'ada' },
      ],
    })
  })

  it('judges the cheapest member first', async () => {
    const { ask, attempts, state } = stage({ all: [basic, api_key, mtls] })
    const two = [brought.basic.wrong, brought.api_key.wrong]
    expect((await ask([...two, brought.mtls.wrong])).status).to.equal(401)
    expect(attempts.failures).to.have.length(0)
    expect((await ask([...two, brought.mtls.right])).status).to.equal(401)
    expect(attempts.failures).to.have.length(1)
    expect(state.verified).to.equal(0)
  })

  it('takes one key in two headers', async () => {
    const id = { ...api_key, header_name: 'x-app-id', name: 'id' }
    const { ask } = stage({ all: [id, { ...api_key, name: 'key' }] })
    const headers = { 'x-app-id': 'gk_ada' }
    expect((await ask([brought.api_key.right], { headers })).value).to.deep.equal({
      authid: 'ada',
      via: 'id+key',
    })
    expect((await ask([brought.api_key.right])).status).to.equal(401)
  })
})

describe('security with alternatives', () => {
  const judged = (security: unknown) =>
    issuesOf(documentUnder(security as object)).map(({ path, message }) => `${path}: ${message}`)
  const at = '/versions/1.0/paths/~1x/security'
  const many = Array.from({ length: 33 }, (_, index) => ({ ...api_key, name: `key${index}` }))

  for (const [security, issue] of [
    [{ any: [] }, `${at}/any: any: expected 1 to 32 alternatives, got 0`],
    [{ any: many }, `${at}/any: any: expected 1 to 32 alternatives, got 33`],
    [{ any: jwt }, `${at}/any: expected a list of security objects, got a map`],
    [{ all: [jwt] }, `${at}/all: all: expected 2 to 4 objects, got 1`],
    [{ all: [] }, `${at}/all: all: expected 2 to 4 objects, got 0`],
    [
      { any: [{ all: [jwt, { any: [mtls] }] }] },
      `${at}/any/0/all/1: "any" cannot stand in "all": write the alternatives out`,
    ],
    [
      { any: [{ any: [mtls] }] },
      `${at}/any/0: "any" cannot stand in "any": write the alternatives out`,
    ],
    [
      { all: [jwt, { all: [mtls, api_key] }] },
      `${at}/all/1: "all" cannot stand in "all": write its objects into the outer one`,
    ],
    [
      { any: [jwt, { ...jwt, issuer: 'other' }] },
      `${at}/any/1: two alternatives are called "jwt": give them a "name"`,
    ],
    [{ any: [jwt, jwt] }, `${at}/any/1: two alternatives are called "jwt": give them a "name"`],
    [{ all: [jwt, basic] }, `${at}: Authorization holds one credential, "all" asks for two in it`],
    [
      { any: [oidc, { all: [oauth2, { type: 'api_key' }] }] },
      `${at}/any/1: Authorization holds one credential, "all" asks for two in it`,
    ],
    [{ any: [forward_auth, oidc] }, `${at}/any/1: behind forward_auth "oidc" is never asked`],
    [
      { any: [jwt, forward_auth], optional: true },
      `${at}/optional: with forward_auth nobody is anonymous`,
    ],
    [{ any: [jwt], optional: 'yes' }, `${at}/optional: expected true or false, got "yes"`],
    [
      { any: [jwt], optinal: true },
      `${at}/optinal: beside "any" there is no "optinal"; did you mean optional?`,
    ],
    [{ all: [jwt, mtls], optional: true }, `${at}/optional: beside "all" there is no "optional"`],
    [{ any: [jwt], type: 'jwt' }, `${at}/type: beside "any" there is no "type"`],
    [
      { any: [{ ...jwt, name: 'anonymous' }] },
      `${at}/any/0/name: expected a name, got "anonymous": requests without credentials are called so`,
    ],
    [
      { any: [{ ...jwt, name: 'a+b' }] },
      `${at}/any/0/name: expected a name, got "a+b": it has 1 to 64 letters, digits, ".", "_" and "-"`,
    ],
    [{ any: [{}] }, `${at}/any/0/type: type is missing`],
    [{ any: [{ type: 'jwt' }] }, `${at}/any/0/issuer: issuer is missing`],
  ] as const) {
    it(`is refused: ${JSON.stringify(security).slice(0, 80)}`, () => {
      const [first] = judged(security)
      expect(first?.startsWith(issue), first).to.equal(true)
    })
  }

  it('may share a name where it differs in scopes alone', () => {
    const scoped = (scope: string) => ({ ...jwt, scopes: [scope] })
    expect(judged({ any: [scoped('a'), scoped('b'), jwt] })).to.deep.equal([])
  })

  it('is judged once its expressions are known', () => {
    const document = (any: unknown) =>
      documentOf(
        { '/x': { security: '{{variables.them}}', get: whoAsks } },
        {
          variables: { them: { any } },
        },
      )
    expect(issuesOf(document([jwt, '{{variables.them}}']))).to.not.deep.equal([])
    expect(
      issuesOf(document([jwt, { ...jwt, issuer: 'other' }])).map((one) => one.message),
    ).to.include('any/1: two alternatives are called "jwt": give them a "name"')
    expect(issuesOf(document([jwt, api_key]))).to.deep.equal([])
  })

  for (const [security, path, message] of [
    [
      { any: [jwt, { all: [jwt, mtls] }] },
      `${at}/any/1`,
      '"jwt" alone passes: "jwt+mtls" protects nothing more',
    ],
    [
      { any: [{ all: [mtls, { ...jwt, name: 'corp' }] }, jwt] },
      `${at}/any/0`,
      '"jwt" alone passes: "mtls+corp" protects nothing more',
    ],
    [
      { any: [mtls, oidc] },
      `${at}/any/0`,
      'browsers with a certificate never reach "oidc": put "mtls" behind it',
    ],
  ] as const) {
    it(`warns: ${message}`, () => {
      const { warnings } = validateSpec(documentUnder(security))
      expect(warnings).to.deep.include({ path, message })
    })
  }

  it('gives the token of a provider where each user has logged in, else to who has a default', () => {
    const send = (text: string) => ({
      action: { type: 'forward', host: 'http://127.0.0.1:1', headers: { authorization: text } },
      response: {},
    })
    const read = (security: object, text: string) =>
      issuesOf(documentOf({ '/x': { security, get: send(text) } }, { realm_uri })).map(
        (one) => one.message,
      )
    const plain = 'Bearer {{security.provider_token}}'
    const safe = 'Bearer {{security.provider_token |> default(none)}}'
    const partners = { ...oidc, provider: 'partners', name: 'partners' }
    expect(read({ any: [oidc, partners] }, plain)).to.deep.equal([])
    expect(read({ all: [oidc, mtls] }, plain)).to.deep.equal([])
    for (const security of [
      { any: [api_key, oidc] },
      { any: [oidc], optional: true },
      { any: [oidc, { all: [mtls, partners] }] },
    ]) {
      expect(read(security, safe)).to.deep.equal([])
      expect(read(security, plain)[0]).to.contain('give it a default')
    }
    expect(read({ any: [api_key, jwt] }, safe)[0]).to.contain('of the type oidc only')
  })

  it('is `via` and `proofs` for expressions, which no other path has', () => {
    const read = (security: object) => issuesOf(documentUnder(security)).map((one) => one.message)
    expect(read({ any: [jwt] })).to.deep.equal([])
    expect(read({ all: [jwt, mtls] })).to.deep.equal([])
    const [issue] = read(jwt as object)
    expect(issue).to.contain(
      'there is no "security.via": it exists only on paths whose security has alternatives',
    )
  })
})

describe('a stream that an alternative has let begin', () => {
  /** Begins with what the request brings; tells whether it ended when `change` was made. */
  async function followed(security: object, brings: readonly Brings[], change: Change) {
    const several = openSeveral()
    const { schemes } = several
    const served = serve(documentUnder(security), undefined, undefined, schemes)
    const route = served.api.entries.find(({ pattern }) => pattern === '/v1/x')?.routes.get
    const { protection } = (route as { inherited: InheritedValues }).inherited
    if (!protection) throw new TypeError('the path is open')
    const certificate = brings.find((one) => one.certificate)?.certificate
    const headers = Object.assign({}, ...brings.map((one) => one.headers))
    const request = requestWith(headers, undefined, { clientCertificate: () => certificate })
    const identity = await schemes[protection.type as 'any'].authenticate(request, protection)
    const clock = new ManualClock()
    const rounds = new Reauthentication({ schemes, clock, yieldTurn: () => undefined })
    let hasEnded = false
    rounds.follow(request, protection, identity, () => {
      hasEnded = true
    })
    await clock.advance(1_500)
    expect(hasEnded).to.equal(false)
    change(several)
    await clock.advance(61_000)
    return hasEnded
  }
  type Change = (several: ReturnType<typeof openSeveral>) => void
  const revoked: Change = ({ state }) => {
    state.isRevoked = true
  }

  it('ends when its credentials do, and not with those of others', async () => {
    expect(await followed({ any: [api_key, jwt] }, [brought.jwt.right], revoked)).to.equal(true)
    expect(await followed({ any: [api_key, jwt] }, [brought.api_key.right], revoked)).to.equal(
      false,
    )
    const both = [brought.api_key.right, brought.jwt.right]
    expect(await followed({ any: [api_key, jwt] }, both, revoked)).to.equal(false)
    expect(await followed({ all: [api_key, jwt] }, both, revoked)).to.equal(true)
  })

  it('ends when the realm knows the issuer no longer, whatever else the request brings', async () => {
    const both = [brought.jwt.right, brought.api_key.right]
    const forget: Change = ({ state }) => {
      state.realm = { ...state.realm, authmethods: [] }
    }
    expect(await followed({ any: [jwt, api_key] }, both, forget)).to.equal(true)
  })

  it('goes on for nobody', async () => {
    expect(await followed({ any: [jwt], optional: true }, [], revoked)).to.equal(false)
  })
})

describe('tools under alternatives', () => {
  const named = (name: string) => ({ ...whoAsks, tool: { name, description: name } })
  const document = documentOf(
    {
      '/a': { security: { any: [jwt, api_key] }, get: named('both') },
      '/b': { security: { any: [jwt] }, get: named('tokens') },
      '/c': { security: { any: [api_key], optional: true }, get: named('all') },
      '/d': { security: { any: [oidc, forward_auth] }, get: named('people') },
    },
    { realm_uri },
    { mcp: { path: '/mcp' } },
  )
  const ask = async (method: string, brings: Brings, params: object = {}) => {
    const served = serve(document, undefined, undefined, openSeveral().schemes)
    const headers = {
      ...{ accept: 'application/json, text/event-stream', ...brings.headers },
      ...{
        'mcp-method': method,
        'mcp-protocol-version': meta['io.modelcontextprotocol/protocolVersion'],
      },
      ...('name' in params && { 'mcp-name': String(params.name) }),
    }
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }
    const body = JSON.stringify(message)
    const { body: sent } = await served.ask('POST /v1/mcp', { headers, body })
    return JSON.parse(String(sent.kind === 'bytes' ? sent.bytes : '{}')) as {
      result?: { tools?: { name: string }[]; structuredContent?: unknown }
      error?: object
    }
  }
  const listed = async (brings: Brings) =>
    (await ask('tools/list', brings)).result?.tools?.map(({ name }) => name)

  it('are those that one of their alternatives lets a request see', async () => {
    expect(await listed({})).to.deep.equal(['all'])
    expect(await listed(brought.api_key.right)).to.deep.equal(['both', 'all'])
    expect(await listed(brought.forward_auth.right)).to.deep.equal(['all', 'people'])
  })

  it('need the CSRF value of a ticket cookie in each call, since it is a POST', async () => {
    const called = await ask('tools/call', brought.oidc.right, { name: 'people' })
    expect(called.result).to.equal(undefined)
    const proved = await ask(
      'tools/call',
      { headers: withCsrf(ticketOf('ada')) },
      { name: 'people' },
    )
    expect(JSON.stringify(proved.result)).to.contain('"via\\":\\"oidc')
  })
})
