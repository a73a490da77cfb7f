/** Revocation: what ends, for whom, and what is told of tokens that are none (RFC 7009). */
import { expect } from 'chai'
import { basic, oauth } from './fixture.ts'

describe('the revocation endpoint', () => {
  for (const [title, form, headers, revoked] of [
    ['an access token', { token: 'good' }, {}, ['token jti-1 2000000000']],
    ['a refresh token', { token: 'r-f1' }, {}, ['family f1']],
    [
      'a token of its own client',
      { token: 'good' },
      basic('app:s3cret'),
      ['token jti-1 2000000000'],
    ],
    ['a refresh token of its own client', { token: 'r-f1' }, basic('app:s3cret'), ['family f1']],
    [
      'an access token that is called a refresh token',
      { token: 'good', token_type_hint: 'refresh_token' },
      {},
      ['token jti-1 2000000000'],
    ],
    [
      'a refresh token with an unknown hint',
      { token: 'r-f1', token_type_hint: 'x' },
      {},
      ['family f1'],
    ],
    ['nothing: an unknown token', { token: 'unknown' }, {}, []],
    ['nothing: a refresh token of no family', { token: 'r-none' }, {}, []],
    ['nothing: a refresh token of another realm', { token: 'r-foreign' }, {}, []],
  ] as const) {
    it(`ends ${title}, and answers 200 without a body`, async () => {
      const { post, ...oauthDone } = oauth()
      const reply = await post('/oauth/revoke', { form, headers })
      expect([reply.status, reply.body.kind]).to.deep.equal([200, 'none'])
      expect(oauthDone.revoked).to.deep.equal(revoked)
    })
  }

  for (const [title, form, headers, status, error] of [
    ['without a token', {}, {}, 400, 'invalid_request'],
    ['with an empty token', { token: '' }, {}, 400, 'invalid_request'],
    [
      'by a client that fails to authenticate',
      { token: 'good' },
      basic('app:x'),
      401,
      'invalid_client',
    ],
    [
      'of the access token of another client',
      { token: 'good' },
      basic('app+two:100%25+%2B'),
      400,
      'invalid_grant',
    ],
    [
      'of the refresh token of another client',
      { token: 'r-f1' },
      basic('app+two:100%25+%2B'),
      400,
      'invalid_grant',
    ],
  ] as const) {
    it(`refuses a request ${title}`, async () => {
      const { post, revoked } = oauth()
      const reply = await post('/oauth/revoke', { form, headers })
      expect([reply.status, reply.value.error]).to.deep.equal([status, error])
      expect(revoked).to.deep.equal([])
    })
  }
})
