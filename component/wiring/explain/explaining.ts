/** Explains requests to the documents of this node, with its users and settings. */

import type { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import { Explainer } from '#component/explain/explanation/explainer.ts'
import type { Route } from '#component/gateway/api.ts'
import { givenRoles } from '#component/identity.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { compilePortsOf } from '#component/wiring/documents/open-documents.ts'
import type { RouterConnection } from '#component/wiring/router-connection.ts'
import type { Serving } from '#component/wiring/serving.ts'
import { explanationPorts } from './rehearsal-ports.ts'

/** Milliseconds that the router may take to tell of a procedure. */
const metaTimeout = 1_000

/** Makes the explainer of the node. */
export function openExplainer(
  context: WiringContext,
  router: Pick<RouterConnection, 'calleesOf'>,
  pool: Pick<SessionPool, 'joined'>,
  { gateway, authentication, upstreams }: Serving,
  registry: Registry<Route>,
  { validators }: Pick<SharedSchemas, 'validators'>,
): Explainer {
  const { config, users, clock, log, node, yieldTurn } = context
  const { accounts, logins } = users
  return new Explainer({
    compile: compilePortsOf(context, { validators }),
    documents: {
      table: () => gateway.table,
      documents: () => registry.documents(),
      conflicts: () => registry.conflicts(),
      served: (id) => registry.served(id),
      tryOut: (document, within) => registry.tryOut(document, within),
    },
    rehearsal: {
      ...explanationPorts(config, node),
      targetsOf: (realm_uri, name) =>
        upstreams.table
          .find(realm_uri, name)
          ?.states()
          .map(({ target: { id: url }, state }) => ({ url, state })),
      rolesOf: (realm_uri, authid) => logins.user(realm_uri, authid)?.roles,
      authOf: (realm_uri, upstream) => upstreams.table.find(realm_uri, upstream)?.settings.auth,
    },
    schemes: authentication.openSchemes(),
    userOf(realm_uri, { authid, authroles }) {
      const login = logins.user(realm_uri, authid)
      if (login || !authroles || !accounts.isKnown(realm_uri, authid)) return login
      // an identity provider gives a user its roles at each login: those that are named
      return { user: givenRoles(authid, authroles, undefined), roles: authroles }
    },
    callees: async (realm_uri, procedure) =>
      router.calleesOf(realm_uri, procedure) ?? (await calleesOf(pool, realm_uri, procedure)),
    secretNames: config.explain.redact,
    ...{ clock, log, yieldTurn },
  })
}

/** How many callees another router has, as its meta API tells the gateway's own session; null where it does not tell. */
async function calleesOf(
  pool: Pick<SessionPool, 'joined'>,
  realm_uri: string,
  procedure: string,
): Promise<number | null> {
  const session = pool.joined(realm_uri)
  const ask = async (uri: string, argument: unknown): Promise<unknown> => {
    const payload = { args: [argument], kwargs: {} }
    const { args } = (await session?.call(uri, payload, {}, metaTimeout).result) ?? {}
    return args?.[0]
  }
  try {
    const registration = await ask('wamp.registration.match', procedure)
    if (registration === undefined) return null
    if (registration === null) return 0
    const count = await ask('wamp.registration.count_callees', registration)
    return typeof count === 'number' ? count : null
  } catch {
    return null // not every router has the meta API, or allows it
  }
}
