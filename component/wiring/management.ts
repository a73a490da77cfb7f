/** What the management procedures get of this node. */
import { ServiceError } from '#component/errors.ts'
import type { Examples } from '#component/examples/examples.ts'
import type { ExplainCaller, Explainer } from '#component/explain/explanation/explainer.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { Tracing } from '#component/wiring/tracing/tracing.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import type { LiveConsole } from './console/live-console.ts'
import { sessionsOf as wampSessionsOf } from './console/wamp-sessions.ts'
import type { WiringContext } from './context.ts'
import type { LogLevel } from './log-level.ts'
import type { TicketLists } from './logins/ticket-lists.ts'
import type { Serving } from './serving.ts'
import { damageOf, type Measured, refusalOf } from './status/node-status.ts'
import { sessionsOf } from './status/session-status.ts'
import type { WorkerPorts } from './worker-ports.ts'

/** The parts of a process that management reads or changes. */
interface ManagedParts extends Measured {
  readonly registry: Registry<Route>
  readonly tracing: Tracing
  readonly serving: Serving
  readonly examples: Examples
  readonly logLevel: LogLevel
  readonly liveConsole: LiveConsole
  readonly ticketLists: TicketLists
  /** Where clients reach this gateway; without a slash at the end. */
  readonly issuer: () => string
}

/** @param worker the primary of this process, if it is a worker */
export function managementOf(
  context: WiringContext,
  parts: ManagedParts,
  worker: WorkerPorts | undefined,
): Management {
  const { config, users, clock, node, broadcast } = context
  const { own, pool, router, registry, serving, schemas, sync, files, issuer } = parts
  const { realms, logins, apiKeys, keys, tickets, revocations } = users
  let explainer: Explainer | undefined
  return {
    ...{ registry, examples: parts.examples, issuer, clock },
    ...{ realms, logins, apiKeys, keys, tickets, revocations },
    forgetRealm: users.forgetRealm.bind(users),
    forgetAccount: users.forgetAccount.bind(users),
    endUsers: users.endUsers.bind(users),
    endSubject: users.endSubject.bind(users),
    async explain(asked: unknown, caller: ExplainCaller) {
      const { openExplainer } = await import('#component/wiring/explain/explaining.ts')
      explainer ??= openExplainer(context, router, pool, serving, registry, schemas)
      return explainer.explain(asked, caller)
    },
    componentRealm: config.wamp.realm,
    descriptions: serving.descriptions,
    ...(config.explain.traces && { traces: parts.tracing }),
    async purgeCache(id, tags) {
      serving.policies.purge(id, tags)
      try {
        await sync.purge({ id, tags })
      } catch (cause) {
        const message = 'the other nodes could not be told'
        throw new ServiceError('service.error.unavailable', message, { cause })
      }
    },
    quotaUsage: (versions, key) => serving.policies.quotaUsage(versions, key),
    watchRequests: (seconds, filter) => parts.liveConsole.watchRequests(seconds, filter),
    routeUse: (api_spec) => parts.liveConsole.routeUse.of(api_spec),
    wampSessions: (realm_uri) => wampSessionsOf(pool, realm_uri),
    seenTickets: (realm_uri, authid) => parts.ticketLists.of(realm_uri, authid),
    refusal: () => sync.refusal(),
    ...(broadcast && { broadcast }),
    status: () => ({
      ...sync.status(),
      conflicts: registry.conflicts(),
      damaged: parts.replica.damaged.map(damageOf),
      router_last_error: own.record.lastError ?? null,
      router_sessions: sessionsOf({ own, pool }),
      refused_files: files.refused.map(refusalOf),
    }),
    async setLogLevel(level: string, by: string) {
      const change = worker ? await worker.setLogLevel(level, by) : parts.logLevel.set(level, by)
      return { node, ...change }
    },
  }
}
