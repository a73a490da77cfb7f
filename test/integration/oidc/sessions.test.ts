/** Sessions of users who have logged in by a browser, where one process does everything; and what is said when nobody can. */
import { expect } from 'chai'
import { startGateway } from '#test/support/gateway.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { testSessionsOfBrowsers } from './sessions.ts'

if (process.env.WAMP_ROUTER_URL === undefined) {
  testSessionsOfBrowsers('on one process', startGateway)
}

describe('loading a document with oidc', () => {
  it('warns of a realm in which nobody can log in', async () => {
    const gateway = await startGateway()
    try {
      const security = { type: 'oidc', provider: 'gone' }
      const document = documentOf({}, { defaults: { security }, realm_uri: 'com.example.test' })
      const { body } = await gateway.load(document)
      expect(body.warnings?.map(({ path }) => path)).to.deep.equal(['/defaults/security'])
      expect(body.warnings?.[0]?.message).to.contain('gone').and.contain('oidcrp')
    } finally {
      await gateway.stop()
    }
  })
})
