/** The API Specifications of this node: compiled, and made live in the gateway. */
import { compilingDocument } from '#component/compile/compile-document.ts'
import { ownRealms } from '#component/compile/own-realms.ts'
import type { Route } from '#component/gateway/api.ts'
import { loginProblem } from '#component/oidc/settings.ts'
import { Registry } from '#component/registry/registry.ts'
import { runSteps } from '#component/yielding.ts'
import { isLoopbackOnly, sharesGatewayListener } from '#http/management/access.ts'
import { isGuessedFor } from '#http/oidc/public-address.ts'
import { hasDocsPage } from '#http/openapi/docs-files.ts'
import { managementPaths } from '#procedures/index.ts'
import type { WiringContext } from './context.ts'
import type { RouterConnection } from './router-connection.ts'
import type { RouterSessions } from './router-sessions.ts'
import type { Schemas } from './schemas.ts'
import type { Serving } from './serving.ts'

/** Milliseconds that the router may take to acknowledge an event. */
const eventTimeout = 5_000

/** Makes the registry; it serves documents once it is started. */
export function openRegistry(
  { config, users, replica, node, log, yieldTurn }: WiringContext,
  router: RouterConnection,
  { own, pool }: RouterSessions,
  { gateway, authentication }: Serving,
  schemas: Schemas,
  nodesWithout: (features: readonly string[]) => readonly string[],
): Registry<Route> {
  const { realms } = users
  const { public_base_url, listen } = config.gateway
  const address = { hasPublicUrl: public_base_url !== undefined, isLocal: isLoopbackOnly(listen) }
  const compilePorts = {
    callTimeout: config.wamp.call_timeout,
    schemas,
    hasDocsPage: hasDocsPage(),
    loginProblem: (realm_uri: string, provider: string, host: string) =>
      loginProblem(realms, realm_uri, provider, isGuessedFor(host, address)),
  }
  const registry = new Registry<Route>({
    ...{ replica, node, log, yieldTurn, nodesWithout },
    compile: (document) => runSteps(compilingDocument(document, compilePorts), yieldTurn),
    prepare: ({ entries }) => pool.openAll(ownRealms(entries, config.wamp.identity)),
    onSwap(table) {
      gateway.table = table
      authentication.issuers.follow(table.entries)
      void schemas.compileAhead(table)
      pool.keep(ownRealms(table.entries, config.wamp.identity))
    },
    realmExists: (realm_uri) => realms.has(realm_uri) || router.canJoin(realm_uri, pool),
    publishEvent: (topic, kwargs) =>
      own.publish(topic, { args: [], kwargs }, { acknowledge: true }, eventTimeout),
    managementPaths: sharesGatewayListener(config) ? managementPaths : [],
  })
  replica.onLost = (loser, winner) => registry.tellLost(loser, winner)
  return registry
}
