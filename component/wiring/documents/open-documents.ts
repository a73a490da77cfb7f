/** The API Specifications of this node: compiled, and made live in the gateway. */

import type { CompilePorts } from '#component/compile/compile.ts'
import { compilingDocument } from '#component/compile/compile-document.ts'
import { KeptDocuments } from '#component/compile/kept/kept-documents.ts'
import { OwnRealms } from '#component/compile/own-realms.ts'
import type { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { Signers } from '#component/delivery/requests/signers.ts'
import type { Route } from '#component/gateway/api.ts'
import { issuerProblem } from '#component/issuer/settings.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { loginProblem } from '#component/oidc/settings.ts'
import { takesUserToken } from '#component/realm/documents/info/auth-rules.ts'
import { at } from '#component/realm/documents/membership.ts'
import { Registry } from '#component/registry/registry.ts'
import { issuerNameOf } from '#component/security/jwt/kind.ts'
import { kindOf } from '#component/security/kinds.ts'
import { providerOf } from '#component/security/oidc/kind.ts'
import { Senders } from '#component/security/webhook/senders.ts'
import type { Sync } from '#component/sync/sync.ts'
import { hasUpstream } from '#component/upstreams/settings.ts'
import { version } from '#component/version.ts'
import { withClientCaWarning } from '#component/wiring/client-ca-warning.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { withStoreWarning } from '#component/wiring/documents/store-warning.ts'
import { withProviderTokenWarning } from '#component/wiring/logins/provider-token-warning.ts'
import { withScopeWarning } from '#component/wiring/logins/scope-warning.ts'
import type { Registrar } from '#component/wiring/procedures/registrar.ts'
import type { RouterConnection } from '#component/wiring/router-connection.ts'
import type { RouterSessions } from '#component/wiring/router-sessions.ts'
import type { Serving } from '#component/wiring/serving.ts'
import { upstreamOrigins } from '#component/wiring/upstream-origins.ts'
import { runSteps } from '#component/yielding.ts'
import { isLoopbackOnly, sharesGatewayListener } from '#http/management/access.ts'
import { isGuessedFor } from '#http/oidc/public-address.ts'
import { hasDocsPage } from '#http/openapi/docs-files.ts'
import { managementPaths } from '#procedures/index.ts'
import { SpecIndexes } from './spec-indexes.ts'

/** Milliseconds that the router may take to acknowledge an event. */
const eventTimeout = 5_000

/** What compiling needs to know of the node. */
export function compilePortsOf(
  { config, clock, users: { realms } }: WiringContext,
  schemas: NonNullable<CompilePorts['schemas']>,
): CompilePorts {
  const { public_base_url, listen } = config.gateway
  const senders = new Senders({ realms, clock })
  const signers = new Signers({ realms, clock })
  const address = { hasPublicUrl: public_base_url !== undefined, isLocal: isLoopbackOnly(listen) }
  return {
    ...compileSettings(config),
    schemas,
    hasDocsPage: hasDocsPage(),
    schemeOfSender: (realm_uri, name) => senders.find(realm_uri, name)?.scheme,
    deliverySettings: {
      signerOrigins: (realm_uri, name) => signers.find(realm_uri, name)?.origins,
      upstreamOrigins: (realm_uri, name) => upstreamOrigins(realms, realm_uri, name),
      ownOrigin: public_base_url === undefined ? undefined : URL.parse(public_base_url)?.origin,
    },
    takesUserToken: (realm_uri, name) =>
      takesUserToken(at(realms.realm(realm_uri)?.info, ['upstreams', name, 'auth'])),
    rootProblem: (realm_uri, name) => rootProblem(config.files.roots, realm_uri, name),
    hasUpstream: (realm_uri, name) => hasUpstream(realms.realm(realm_uri)?.info ?? {}, name),
    partyProblem: (realm_uri, security, host) =>
      kindOf(security.type)?.party?.is === 'issuer'
        ? issuerProblem(realms, realm_uri, issuerNameOf(security))
        : loginProblem(realms, realm_uri, providerOf(security), isGuessedFor(host, address)),
  }
}

/** Why documents of a realm may not name a root of the configuration. */
function rootProblem(
  roots: WiringContext['config']['files']['roots'],
  realm_uri: string,
  name: string,
): string | undefined {
  const root = Object.hasOwn(roots, name) ? roots[name] : undefined
  if (root?.realms.includes(realm_uri)) return undefined
  return `the configuration has no root ${JSON.stringify(name)} in files.roots for documents of the realm ${realm_uri}`
}

/** A change of what an index holds, or of what is compiled otherwise in one version of the gateway, is a new number. */
const indexLayout = 4

/** What must be equal where a document that has been compiled once need not be compiled again. */
const makerOf = ({ hasDocsPage }: CompilePorts): string =>
  `${version()} ${indexLayout}${hasDocsPage ? ' docs' : ''}`

/** The API Specifications of a process. */
export interface Documents {
  /** It serves documents once it is started. */
  readonly registry: Registry<Route>
  /** What is told in /metrics of those that are compiled. */
  readonly sources: MetricSources
  /** Writes to the store what has not been written. */
  stop(): Promise<void>
}

/** Makes the registry. */
export function openDocuments(
  context: WiringContext,
  router: RouterConnection,
  { own, pool, registrar }: RouterSessions & { readonly registrar: Registrar },
  { gateway, authentication, deliveries, openStreams, openSockets, policies }: Serving,
  schemas: SharedSchemas,
  others: Pick<Sync, 'nodesWithout' | 'peerNames'>,
): Documents {
  const { config, users, store, replica, node, clock, log, yieldTurn } = context
  const { realms } = users
  const compilePorts = compilePortsOf(context, schemas)
  const ownRealms = new OwnRealms(config.wamp.identity)
  const kept = new KeptDocuments({
    ...{ log, yieldTurn },
    compile: (document) => compilingDocument(document, compilePorts),
    maxBytes: config.limits.compiled_bytes,
    onStale: (id) =>
      void registry.recompile(id).catch((err: unknown) => {
        log.error({ err, api_spec: id }, 'the document could not be compiled again')
      }),
    onCompiled: (entries) => void schemas.compileAhead({ added: [entries], removed: [] }),
  })
  const maker = makerOf(compilePorts)
  const indexes = new SpecIndexes({ ...{ store, replica, kept, clock, log, maker } })
  function* compiling(document: unknown, length?: number) {
    const compiled = yield* compilingDocument(document, compilePorts)
    const { api } = compiled
    return {
      ...withScopeWarning(withProviderTokenWarning(compiled, realms), realms),
      api: api && (yield* kept.indexing(document, api, length)),
    }
  }
  const registry = new Registry<Route>({
    ...{ replica, node, log, yieldTurn, checked: indexes },
    nodesWithout: (features) => others.nodesWithout(features),
    async compile(document, length) {
      const compiled = await runSteps(compiling(document, length), yieldTurn)
      const warned = withStoreWarning(compiled, config.store.url, others.peerNames.length)
      return withClientCaWarning(warned, config)
    },
    async prepare({ added }) {
      const opening = pool.openForwarders(ownRealms.forwardingOf(added))
      await Promise.all([pool.openAll(ownRealms.realmsOf(added)), opening])
    },
    onSwap(table, change) {
      gateway.table = table
      authentication.issuers.follow(change)
      openStreams.follow(table, change)
      openSockets.follow(table)
      policies.follow(change)
      registrar.follow(change)
      deliveries.follow(change)
      kept.follow(change)
      indexes.follow(change)
      void schemas.compileAhead(change)
      ownRealms.follow(change)
      pool.keep(ownRealms.realms)
    },
    registered: (id) => registrar.settled(id),
    realmExists: (realm_uri) => realms.has(realm_uri) || router.canJoin(realm_uri, pool),
    publishEvent: (topic, kwargs) =>
      own.publish(topic, { args: [], kwargs }, { acknowledge: true }, eventTimeout),
    managementPaths: sharesGatewayListener(config) ? managementPaths : [],
  })
  indexes.served = () => ({ table: gateway.table, hashOf: (id) => registry.servedHash(id) })
  replica.onLost = (loser, winner) => registry.tellLost(loser, winner)
  return {
    registry,
    sources: {
      gateway_compiled_bytes: {
        help: 'Bytes of memory that compiled API Specifications take, about, without those that always stay compiled.',
        read: () => kept.bytes,
      },
      gateway_documents_compiled_total: {
        help: 'API Specifications that were compiled because a request asked for them.',
        isCounter: true,
        read: () => kept.compiled,
      },
    },
    stop: () => indexes.stop(),
  }
}
