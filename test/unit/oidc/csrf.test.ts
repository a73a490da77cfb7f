/** The value of the CSRF cookie: good for one ticket, and made by nobody else. */
import { expect } from 'chai'
import { csrfOf, isCsrf } from '#component/oidc/csrf.ts'
import { SecretBox } from '#component/secret-box.ts'

const box = new SecretBox('a key of the store')
const [realm, ticket] = ['com.example.shop', 'd0e5']

describe('a CSRF value', () => {
  const value = csrfOf(box, realm, ticket)

  it('begins with a UUID, and is another one each time', () => {
    expect(value).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.[\w-]{43}$/)
    expect(csrfOf(box, realm, ticket)).to.not.equal(value)
  })

  it('is good for its ticket, on every node with the key', () => {
    expect(isCsrf(new SecretBox('a key of the store'), value, realm, ticket)).to.equal(true)
  })

  it('is good for nothing else', () => {
    const [random = '', signature = ''] = value.split('.')
    const tries = [
      isCsrf(box, value, realm, 'another ticket'),
      isCsrf(box, value, 'com.example.other', ticket),
      isCsrf(new SecretBox('another key'), value, realm, ticket),
      isCsrf(box, `x${value}`, realm, ticket),
      isCsrf(box, `${value}x`, realm, ticket),
      isCsrf(box, random, realm, ticket),
      isCsrf(box, signature, realm, ticket),
      isCsrf(box, `.${signature}`, realm, ticket),
      isCsrf(box, '', realm, ticket),
      isCsrf(box, '.', realm, ticket),
      isCsrf(box, `${value}.${value}`, realm, ticket),
    ]
    expect(tries).to.deep.equal(tries.map(() => false))
  })
})
