/** Users with access tokens of another issuer on the embedded router; and what is said when the realm does not know the issuer. */
import { expect } from 'chai'
import { startGateway } from '#test/support/gateway.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { testForeignUsers } from './foreign-users.suite.ts'

testForeignUsers(
  'on the embedded router',
  () => startGateway({}, { isEmbedded: true }),
  'wamp.error.authentication_failed',
)

describe('loading a document with jwt', () => {
  it('warns of an issuer that the realm does not have', async () => {
    const gateway = await startGateway({}, { isEmbedded: true })
    try {
      const security = { type: 'jwt', issuer: 'gone' }
      const document = documentOf({}, { defaults: { security }, realm_uri: 'com.example.test' })
      const { body } = await gateway.load(document)
      expect(body.warnings).to.deep.equal([
        {
          path: '/defaults/security',
          message:
            'no token of the issuer gone is accepted in com.example.test: the realm has no jwt among its authmethods',
        },
      ])
    } finally {
      await gateway.stop()
    }
  })
})
