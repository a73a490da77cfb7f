/** Sessions of users who have logged in by a browser, with several workers: the router is in another process than the login. */

import { testSessionsOfBrowsers } from '#test/integration/oidc/sessions.ts'
import { startGatewayProcess } from '#test/support/gateway-process.ts'

if (process.env.WAMP_ROUTER_URL === undefined) {
  testSessionsOfBrowsers('with two workers', async (settings) => {
    const gateway = await startGatewayProcess({ workers: '2', ...settings })
    const { url, adminUrl } = gateway
    return { url, adminUrl, stop: () => gateway.kill() }
  })
}
