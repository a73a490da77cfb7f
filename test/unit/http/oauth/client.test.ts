/** How clients authenticate themselves at OAuth2 endpoints (RFC 6749 §2.3.1), and what those who fail are told. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { GrantContext } from '#component/token/grant.ts'
import { basic, oauth, realm_uri } from './fixture.ts'

const form = { grant_type: 'client_credentials' }

/** Title, headers, fields; the name of the client as the grant sees it. */
const known = [
  ['Basic', basic('app:s3cret'), {}, 'app'],
  ['Basic in another case', { authorization: `BASIC ${btoa('app:s3cret')}` }, {}, 'app'],
  ['Basic, and the same client_id in the form', basic('app:s3cret'), { client_id: 'app' }, 'app'],
  ['Basic of form-encoded parts', basic('app+two:100%25+%2B'), {}, 'app two'],
  ['Basic of parts that are not encoded', basic('app two:100% +'), {}, 'app two'],
  ['Basic of parts that look encoded', basic('app+3:a%41+b'), {}, 'app+3'],
  [
    'Basic of parts that look encoded, and the same client_id in the form',
    basic('app+3:a%41+b'),
    { client_id: 'app+3' },
    'app+3',
  ],
  ['the form', {}, { client_id: 'app', client_secret: 's3cret' }, 'app'],
  ['the form, as it is decoded', {}, { client_id: 'app two', client_secret: '100% +' }, 'app two'],
  ['nothing', {}, {}, undefined],
  ['client_id alone, which proves nothing', {}, { client_id: 'app' }, undefined],
  ['a token, which is no client', { authorization: 'Bearer good' }, {}, undefined],
] as const

describe('a client at the token endpoint', () => {
  for (const [title, headers, fields, name] of known) {
    it(`is ${name ?? 'nobody'} by ${title}`, async () => {
      const { post } = oauth()
      const { status, value } = await post('/oauth/token', {
        form: { ...form, ...fields },
        headers,
      })
      expect(status).to.equal(200)
      const { client } = value.context as GrantContext
      expect(client?.authid).to.equal(name)
    })
  }

  for (const [title, headers, fields] of [
    ['an unknown client', basic('nobody:s3cret'), {}],
    ['a wrong secret', basic('app:wrong'), {}],
    ['a wrong secret in the form', {}, { client_id: 'app', client_secret: 'wrong' }],
    ['a user who is no client', basic('ada:lovelace'), {}],
    ['one part that is encoded, and one that is not', basic('app+two:100% +'), {}],
    ['an encoded secret in the form', {}, { client_id: 'app two', client_secret: '100%25 %2B' }],
    ['Basic that is not base64', { authorization: 'Basic %%%' }, {}],
    ['Basic with more than base64', { authorization: `Basic %${btoa('app:s3cret')}` }, {}],
    ['Basic with a blank inside', { authorization: `Basic YXBw ${btoa(':s3cret')}` }, {}],
    ['Basic without a colon', basic('app'), {}],
    ['Basic without a name', basic(':s3cret'), {}],
    ['Basic with NUL', basic('app%00:s3cret'), {}],
    ['Basic that is no UTF-8', { authorization: `Basic ${btoa('odd:\xff')}` }, {}],
    ['Basic with nothing', { authorization: 'Basic' }, {}],
    ['Basic with a blank', { authorization: 'Basic ' }, {}],
  ] as const) {
    it(`is invalid_client by ${title}`, async () => {
      const { post } = oauth()
      const reply = await post('/oauth/token', { form: { ...form, ...fields }, headers })
      expect(reply.status).to.equal(401)
      expect(reply.headers['www-authenticate']).to.equal(
        `Basic realm="${realm_uri}", charset="UTF-8"`,
      )
      // the same for all, so that nobody learns who is a client
      expect(reply.value).to.deep.equal({
        error: 'invalid_client',
        error_description: 'the client could not be authenticated',
        code: 'invalid_client',
        message: 'the client could not be authenticated',
        description: 'The request lacks valid credentials.',
      })
    })
  }

  for (const [title, headers, fields] of [
    ['Basic and a secret in the form', basic('app:s3cret'), { client_secret: 's3cret' }],
    ['Basic and another client_id', basic('app:s3cret'), { client_id: 'other' }],
    ['a secret without client_id', {}, { client_secret: 's3cret' }],
  ] as const) {
    it(`is invalid_request by ${title}`, async () => {
      const { post } = oauth()
      const { status, value } = await post('/oauth/token', {
        form: { ...form, ...fields },
        headers,
      })
      expect([status, value.error]).to.deep.equal([400, 'invalid_request'])
    })
  }

  it('is looked for with the address of the client, known or not', async () => {
    const { post, tried } = oauth()
    await post('/oauth/token', { form, headers: basic('app:s3cret') })
    await post('/oauth/token', { form, headers: basic('nobody:x') })
    expect(tried).to.deep.equal([
      [realm_uri, 'app', 's3cret', '192.0.2.1', undefined],
      [realm_uri, 'nobody', 'x', '192.0.2.1', undefined],
    ])
  })

  it('that has a secret which looks encoded fails in no way that counts', async () => {
    const { post } = oauth({ limits: { user_failures: 1, address_failures: 1 } })
    for (let i = 0; i < 3; i += 1) {
      const { status } = await post('/oauth/token', { form, headers: basic('app+3:a%41+b') })
      expect(status).to.equal(200)
    }
  })

  it('that has guessed too often is told to come back later; others are not', async () => {
    const { post } = oauth({ limits: { user_failures: 20, address_failures: 100 } })
    for (let i = 0; i < 20; i += 1) {
      const { status } = await post('/oauth/token', { form, headers: basic('app:wrong') })
      expect(status).to.equal(401)
    }
    const { status, headers, value } = await post('/oauth/token', {
      form,
      headers: basic('app:s3cret'),
    })
    expect(status).to.equal(429)
    expect(Number(headers['retry-after'])).to.be.within(1, 60)
    expect(value).to.include({
      error: 'temporarily_unavailable',
      code: 'service.error.too_many_requests',
    })
    const other = await post('/oauth/token', { form, headers: basic('app+two:100%25+%2B') })
    expect(other.status).to.equal(200)
  })
})

describe('what fails behind an OAuth2 endpoint', () => {
  for (const [uri, status, error, code] of [
    ['service.error.unavailable', 503, 'temporarily_unavailable', 'service.error.unavailable'],
    ['service.error.internal', 500, 'server_error', 'server_error'],
    ['service.error.request_timeout', 408, 'invalid_request', 'invalid_request'],
    ['service.error.unsupported_media_type', 415, 'invalid_request', 'invalid_request'],
  ] as const) {
    it(`with ${uri} is ${error} with status ${status}`, async () => {
      const { post } = oauth({
        grants: async () => {
          throw new ServiceError(uri, 'it says "no"')
        },
      })
      const reply = await post('/oauth/token', { form })
      expect(reply.status).to.equal(status)
      expect(reply.value).to.include({ error, code, message: 'it says "no"' })
      // RFC 6749 §5.2 has no quotes there
      expect(reply.value.error_description).to.equal("it says 'no'")
    })
  }
})
