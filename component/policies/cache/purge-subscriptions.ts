/** Subscribes to the events that drop kept answers, over the gateway's own sessions. */
import type { Clock } from '#component/clock.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Log } from '#component/log.ts'
import { type ApiEntries, FoundInApis } from '#component/routes/table-change.ts'
import { streamedEvent } from '#component/stream/entry.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import { cache } from './kind.ts'
import type { PurgeHandlers, PurgeRule, PurgeTopic } from './purges.ts'

/** What subscribing needs. */
export interface SubscriptionPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
  readonly sessions: Pick<SessionPool, 'open'>
}

/** Milliseconds that a router may take to answer. */
const timeoutMs = 5_000
/** Milliseconds until a router is asked again. */
const pauseMs = 1_000

/** Subscribes until it is ended, whatever becomes of the session. */
export function subscribing(
  { clock, log, sessions }: SubscriptionPorts,
  { realm_uri, topic, match }: PurgeTopic,
  handlers: PurgeHandlers,
): () => void {
  let isEnded = false
  let stop: () => void = () => undefined
  let lastReason = ''
  const again = (reason: string): void => {
    if (isEnded) return
    if (reason !== lastReason) {
      log.warn(
        { realm_uri, topic, reason },
        'responses that wait for events of a topic are not kept',
      )
    }
    lastReason = reason
    stop = clock.after(pauseMs, () => void subscribe())
  }
  const subscribe = async (): Promise<void> => {
    // a session may be lost, or the watch refused, before it is known here
    let isLost = false
    const lose = (): void => {
      isLost = true
      handlers.onLost()
    }
    try {
      const watch = await sessions.open(realm_uri).watch(topic, { match }, timeoutMs, {
        onEvent: (event) => handlers.onEvent(streamedEvent(event)),
        // what it would have dropped is not known: everything
        onMissed() {
          handlers.onLost()
          if (!isLost) handlers.onHeard()
        },
        onLost: lose,
        onBack() {
          isLost = false
          handlers.onHeard()
        },
        onRefused({ error_uri }) {
          lose()
          again(error_uri)
        },
      })
      if (isEnded) watch.end()
      stop = () => watch.end()
      if (isEnded || isLost) return
      lastReason = ''
      handlers.onHeard()
    } catch (error) {
      again(error instanceof Error ? error.message : String(error))
    }
  }
  void subscribe()
  return () => {
    isEnded = true
    stop()
  }
}

/** The rules of the served APIs that wait for events. */
export const purgeRules = () => new FoundInApis(rulesAmong)

/** Each rule once; an indexed API has none. */
function rulesAmong(entries: ApiEntries<Route>): readonly PurgeRule[] {
  if (entries[0]?.indexed) return []
  const rules = new Map<string, PurgeRule>()
  for (const { routes } of entries) {
    for (const route of Object.values(routes)) {
      const plan = route.kind === undefined ? cache.planOf(route.inherited.policies) : undefined
      if (plan === undefined || plan.purges.length === 0) continue
      const { api, realm_uri } = route.path.version
      if (!rules.has(plan.at)) rules.set(plan.at, { api, realm_uri, plan })
    }
  }
  return [...rules.values()]
}
