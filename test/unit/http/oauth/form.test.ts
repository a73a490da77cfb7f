/** What OAuth2 endpoints make of requests that are not quite a form: invalid_request, never a guess (RFC 6749 §3.2). */
import { expect } from 'chai'
import { basic, oauth } from './fixture.ts'

const formType = 'application/x-www-form-urlencoded'
const endpoints = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']
const plain = 'grant_type=password&token=good'

/** Title, form, content type, query. */
const refused: readonly (readonly [title: string, form: string, type?: string, query?: string])[] =
  [
    ['JSON', '{"grant_type":"password"}', 'application/json'],
    ['multipart', plain, 'multipart/form-data; boundary=x'],
    ['text', plain, 'text/plain'],
    ['a type that only begins like a form', plain, `${formType}2`],
    ['another charset', plain, `${formType}; charset=utf-16`],
    ['a parameter twice', 'grant_type=password&grant_type=refresh_token'],
    ['an unknown parameter twice', `${plain}&x=1&x=1`],
    ['a parameter twice, once without a value', `${plain}&grant_type`],
    ['a parameter twice, once escaped', `${plain}&%67rant_type=password`],
    ['a bad escape', `${plain}&x=%zz`],
    ['half an escape', `${plain}&x=%f`],
    ['bytes that are no UTF-8', `${plain}&x=%ff`],
    ['NUL', `${plain}&x=a%00`],
    ['parameters in the URL', plain, formType, '?grant_type=password&username=u&password=p'],
    ['any parameter in the URL', plain, formType, '?x'],
  ]

for (const endpoint of endpoints) {
  describe(`a form for ${endpoint}`, () => {
    for (const [title, form, type = formType, query = ''] of refused) {
      it(`is invalid_request with ${title}`, async () => {
        const { post, tried } = oauth()
        const headers = { ...basic('app:s3cret'), 'content-type': type }
        const { status, value } = await post(endpoint + query, { form, headers })
        expect([status, value.error, value.code]).to.deep.equal([
          400,
          'invalid_request',
          'invalid_request',
        ])
        expect(tried, 'nobody is logged in').to.deep.equal([])
      })
    }

    it('of more than 64 KiB is 413 in the form of OAuth', async () => {
      const { post } = oauth()
      const { status, value } = await post(endpoint, { form: `${plain}&x=${'a'.repeat(65_536)}` })
      expect([status, value.error]).to.deep.equal([413, 'invalid_request'])
    })

    it('may name its charset', async () => {
      const { post } = oauth()
      for (const charset of ['charset=UTF-8', 'charset="utf-8"']) {
        const headers = { ...basic('app:s3cret'), 'content-type': `${formType} ; ${charset}` }
        expect((await post(endpoint, { form: plain, headers })).status).to.equal(200)
      }
    })

    it('is never answered for others to keep', async () => {
      const { post } = oauth()
      const headers = basic('app:s3cret')
      for (const form of [plain, 'a=1&a=1']) {
        const { headers: answered } = await post(endpoint, { form, headers })
        expect(answered).to.have.property('cache-control', 'no-store')
      }
    })
  })
}

describe('a form', () => {
  it('is decoded: plus is a blank, names may be anything, no value is no parameter', async () => {
    const { post } = oauth()
    const form = 'grant_type=password&username=a+b%2B&password=%C3%A9&scope=&device_id&__proto__=x'
    const { value } = await post('/oauth/token', { form })
    expect(value.form).to.deep.equal(
      JSON.parse('{"grant_type":"password","username":"a b+","password":"é","__proto__":"x"}'),
    )
  })
})
