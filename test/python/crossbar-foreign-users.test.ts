/** Users with access tokens of another issuer on Crossbar.io, which asks the gateway: `service.authenticate`. */
import { testForeignUsers } from '#test/integration/issuer/foreign-users.suite.ts'
import { startGateway } from '#test/support/gateway.ts'
import { startDocumentedRouter } from './crossbar-page.ts'

testForeignUsers(
  'on Crossbar.io',
  async () => {
    const router = await startDocumentedRouter()
    const { authmethod, authid = '', secret = '' } = router.auth
    const gateway = await startGateway({
      'wamp.url': router.gatewayUrl,
      'wamp.auth.authmethod': authmethod,
      'wamp.auth.authid': authid,
      'wamp.auth.secret': String(secret),
    })
    const { adminUrl, url } = gateway
    return {
      ...{ adminUrl, url, routerUrl: router.crossbar.url },
      load: (document) => gateway.load(document),
      async stop() {
        await gateway.stop()
        await router.stop()
      },
    }
  },
  'wamp.error.not_authorized',
)
