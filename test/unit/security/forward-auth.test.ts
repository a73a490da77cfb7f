/** Paths under `forward_auth`: as whom a request passes by the answer of another service, and for how long answers are kept. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import {
  type AuthFields,
  ForwardAuthScheme,
} from '#component/security/forward-auth/authenticate.ts'
import { type AuthAnswer, PassedAnswer } from '#component/security/passed-answer.ts'
import { FakeLogins, protectedBy, realm_uri, requestWith } from './doubles.ts'

const url = 'https://auth.example.com/verify'
const answerOf = (
  status: number,
  headers: AuthAnswer['headers'] = {},
  body = '',
  ...repeated: readonly string[]
): AuthAnswer => ({
  ...{ status, headers, body: Buffer.from(body), repeated: new Set(repeated) },
})
const named = { authid: 'X-Auth-User', authroles: 'x-auth-groups' }

describe('a path under forward_auth', () => {
  let asked: [url: string, fields: AuthFields][]
  let answer: () => AuthAnswer | Promise<AuthAnswer>
  let now: number
  let scheme: ForwardAuthScheme
  let disabled: Set<string>
  let info: object

  beforeEach(() => {
    asked = []
    answer = () => answerOf(200)
    now = 0
    disabled = new Set()
    info = { jwt_issuers: { corp: {} } }
    scheme = new ForwardAuthScheme({
      authService: {
        fieldsOf: ({ headers }, names) =>
          Object.fromEntries(
            Object.entries(headers).filter(([name]) => names?.includes(name) ?? true),
          ),
        async ask(at, fields) {
          asked.push([at, fields])
          return answer()
        },
      },
      logins: new FakeLogins(),
      realms: { realm: () => ({ disabled, info }) as unknown as Realm },
      clock: { now: () => now },
    })
  })

  /** The identity, or the error. */
  const ask = async (object: object = {}, headers: Readonly<Record<string, string>> = {}) => {
    try {
      const protection = protectedBy('forward_auth', { url, ...object })
      return await scheme.authenticate(requestWith(headers), protection)
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  it('lets a request pass as anonymous where no user is asked for', async () => {
    for (const status of [200, 204, 299]) {
      answer = () => answerOf(status, { 'x-auth-user': 'ada' })
      expect(await ask()).to.deep.include({ realm_uri, authid: 'anonymous', meta: {} })
    }
    expect(asked[0]?.[0]).to.equal(url)
  })

  it('lets a request pass as the user that the service names, with the roles of the realm', async () => {
    answer = () => answerOf(200, { 'x-auth-user': 'ada', 'x-auth-mail': 'ada@example.com' })
    const response_headers = { authid: 'X-Auth-User', email: 'X-Auth-Mail', none: 'x-none' }
    expect(await ask({ response_headers })).to.deep.equal({
      ...{ realm_uri, authid: 'ada', username: 'ada', authmethod: 'forward_auth', locale: 'de' },
      ...{ authroles: ['staff', 'buyers'], groups: ['staff', 'buyers'] },
      meta: { locale: 'de', age: 7, email: 'ada@example.com' },
    })
  })

  it('gives roles by the mapping alone, and a user of the realm none that it does not have', async () => {
    const groups = 'admins, devs,__proto__,constructor , none'
    const role_mapping = { admins: ['staff', 'gateway'], devs: 'coders' }
    const object = { response_headers: named, role_mapping }
    answer = () => answerOf(200, { 'x-auth-user': 'ada', 'x-auth-groups': groups })
    expect(await ask(object)).to.deep.include({ authroles: ['staff'] })
    answer = () => answerOf(200, { 'x-auth-user': 'eve', 'x-auth-groups': groups })
    expect(await ask(object)).to.deep.include({ authid: 'eve', authroles: ['staff', 'coders'] })
    expect(await ask({ response_headers: named })).to.deep.include({ authroles: [] })
    answer = () => answerOf(200, { 'x-auth-user': 'eve' })
    expect(await ask(object)).to.deep.include({ authid: 'eve', authroles: [] })
  })

  it('refuses a user that the realm has disabled', async () => {
    disabled.add('ada')
    answer = () => answerOf(200, { 'x-auth-user': 'ada' })
    expect(await ask({ response_headers: named })).to.include({ uri: 'wamp.error.not_authorized' })
  })

  for (const status of [401, 403, 301, 302, 303, 307, 308]) {
    it(`passes the answer ${status} on`, async () => {
      const given = answerOf(status, { location: '/login', 'set-cookie': ['a=b', 'c=d'] }, 'text')
      answer = () => given
      const error = await ask()
      expect(error).to.be.instanceOf(PassedAnswer)
      expect((error as PassedAnswer).answer).to.equal(given)
    })
  }

  for (const status of [100, 300, 304, 305, 400, 404, 429, 500, 502, 503]) {
    it(`answers 503 where the service returns ${status}, and never lets the request pass`, async () => {
      answer = () => answerOf(status, { 'x-auth-user': 'ada' })
      expect(await ask({ response_headers: named })).to.include({ status: 503 })
    })
  }

  it('answers 503 where the service does not answer', async () => {
    answer = () => Promise.reject(new Error('ECONNREFUSED'))
    const error = await ask()
    expect(error).to.include({ status: 503 })
    expect(String(error)).not.to.contain('ECONNREFUSED')
  })

  for (const [what, value] of [
    ['nobody', undefined],
    ['the empty text', ''],
    ['a name of 256 characters', 'x'.repeat(256)],
    ['a control character', 'a\u0085b'],
  ] as const) {
    it(`answers 503 where a 2xx answer names ${what}`, async () => {
      answer = () => answerOf(200, value === undefined ? {} : { 'x-auth-user': value })
      expect(await ask({ response_headers: named })).to.include({ status: 503 })
    })
  }

  for (const [what, expected, headers, repeated] of [
    ['two users', 503, { 'x-auth-user': 'ada, eve' }, ['x-auth-user']],
    ['one user twice', 503, { 'x-auth-user': 'ada, ada' }, ['x-auth-user']],
    ['two values of meta', 503, { 'x-auth-user': 'ada', 'x-mail': 'a, b' }, ['x-mail']],
    [
      'roles in two fields',
      'ada',
      { 'x-auth-user': 'ada', 'x-auth-groups': 'a, b' },
      ['x-auth-groups'],
    ],
    ['two fields that nobody reads', 'ada', { 'x-auth-user': 'ada', via: 'a, b' }, ['via']],
    ['a user with a comma', 'Lovelace, Ada', { 'x-auth-user': 'Lovelace, Ada' }, []],
  ] as const) {
    it(`comes to ${expected} where a 2xx answer has ${what}`, async () => {
      answer = () => answerOf(200, headers, '', ...repeated)
      const found = await ask({ response_headers: { ...named, mail: 'X-Mail' } })
      expect(found instanceof ServiceError ? found.status : found.authid).to.equal(expected)
    })
  }

  for (const [authid, expected] of [
    ['corp|ada', 503],
    ['corp|', 503],
    ['corp|ada|x', 503],
    ['gateway', 503],
    ['other|ada', 'other|ada'],
    ['corp', 'corp'],
    ['__proto__|ada', '__proto__|ada'],
  ] as const) {
    it(`comes to ${expected} where the service names ${authid}, also once the realm has the issuer`, async () => {
      answer = () => answerOf(200, { 'x-auth-user': authid })
      const asking = async () => {
        const found = await ask({ response_headers: named, cache_secs: 10 })
        return found instanceof ServiceError ? found.status : found.authid
      }
      expect(await asking()).to.equal(expected)
      info = {}
      expect(await asking()).to.equal(authid === 'gateway' ? 503 : authid)
      info = { jwt_issuers: { corp: {} } }
      expect(await asking()).to.equal(expected)
    })
  }

  it('asks about each request where nothing is kept', async () => {
    await ask()
    await ask()
    expect(asked).to.have.length(2)
  })

  describe('with cache_secs', () => {
    const object = { cache_secs: 10, request_headers: ['Cookie', 'Authorization'] }

    it('asks once for requests of equal sent headers, and again when the time is over', async () => {
      for (const agent of ['a', 'b']) await ask(object, { cookie: 's=1', 'user-agent': agent })
      expect(asked).to.deep.equal([[url, { cookie: 's=1' }]])
      now = 9_999
      await ask(object, { cookie: 's=1' })
      expect(asked).to.have.length(1)
      now = 10_000
      await ask(object, { cookie: 's=1' })
      expect(asked).to.have.length(2)
    })

    it('asks for each difference of the sent headers, and of the security object', async () => {
      await ask(object, { cookie: 's=1' })
      await ask(object, { cookie: 's=2' })
      await ask(object, { authorization: 's=1' })
      await ask(object, { cookie: 's=1', authorization: 's=1' })
      await ask({ ...object, url: `${url}2` }, { cookie: 's=1' })
      await ask({ ...object, response_headers: { a: 'b' } }, { cookie: 's=1' })
      expect(asked).to.have.length(6)
    })

    it('asks once for requests that come at once', async () => {
      const { promise, resolve } = Promise.withResolvers<AuthAnswer>()
      answer = () => promise
      const all = [ask(object), ask(object), ask(object)]
      resolve(answerOf(200))
      for (const one of await Promise.all(all)) expect(one).to.have.property('authid')
      expect(asked).to.have.length(1)
    })

    it('keeps no refusal and no failure', async () => {
      for (const status of [401, 403, 302, 500]) {
        answer = () => answerOf(status)
        expect(await ask(object)).to.be.instanceOf(ServiceError)
      }
      answer = () => answerOf(200)
      expect(await ask(object)).to.have.property('authid')
      expect(asked).to.have.length(5)
    })

    it('knows the realm of now for a kept answer', async () => {
      answer = () => answerOf(200, { 'x-auth-user': 'ada' })
      const kept = { ...object, response_headers: named }
      expect(await ask(kept)).to.have.property('authid', 'ada')
      disabled.add('ada')
      expect(await ask(kept)).to.include({ status: 403 })
      expect(asked).to.have.length(1)
    })

    it('keeps 10,000 answers at most', async () => {
      for (let i = 0; i < 10_001; i += 1) await ask(object, { cookie: String(i) })
      await ask(object, { cookie: '1' })
      expect(asked).to.have.length(10_001)
      await ask(object, { cookie: '0' })
      expect(asked).to.have.length(10_002)
    })
  })
})
