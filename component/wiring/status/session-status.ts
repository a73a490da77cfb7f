/** What a node tells of its own sessions with the router: in /metrics and in /registry. */

import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { MetricSource } from '#component/metrics/source.ts'
import { isRefusal } from '#component/wamp/failure.ts'
import type { GuestOptions } from '#component/wamp/guests.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'

/** Makes the metric of waits for sessions of users. @returns what observes one */
export function sessionWaits(families: SeriesStock): NonNullable<GuestOptions['onWaited']> {
  const waits = new Family(
    {
      name: 'gateway_session_wait_seconds',
      help: 'How long requests have waited for the session of their user to join, by outcome: ok, refused (by the router), unavailable (the router is away), timeout.',
      bounds: durationBounds,
      isOfNode: true,
      labels: ['outcome'],
    },
    families,
  )
  return (ms, outcome) => waits.with(outcome).observe(ms / 1000)
}

/** The gateway's own sessions with the router. */
interface OwnSessions {
  /** On the component's realm. */
  readonly own: SupervisedSession
  readonly pool: Pick<SessionPool, 'own' | 'forwarding'>
}

const ownSessions = ({ own, pool }: OwnSessions) => [
  { session: own, purpose: 'management' },
  ...pool.own.map((session) => ({ session, purpose: 'requests' })),
  ...pool.forwarding.map((session) => ({ session, purpose: 'forwarding' })),
]

/** The gateway's own sessions with the router as /registry shows them. */
export const sessionsOf = (sessions: OwnSessions) =>
  ownSessions(sessions).map(({ session: { realm_uri, isOpen, record, router }, purpose }) => ({
    realm: realm_uri,
    purpose,
    ...(router !== undefined && { router }),
    is_joined: isOpen,
    reconnects: record.reconnects,
    last_error: record.lastError ?? null,
  }))

/** The states of a session, which tries to join again until it is left. */
const states = ['joined', 'joining', 'refused'] as const

function stateOf({ isOpen, record }: Pick<SupervisedSession, 'isOpen' | 'record'>) {
  if (isOpen) return 'joined'
  return isRefusal(record.lastReason) ? 'refused' : 'joining'
}

/** The metrics of the gateway's own sessions, by their names. */
export function sessionSources(sessions: OwnSessions): Readonly<Record<string, MetricSource>> {
  const labels = ['realm', 'purpose']
  const source = (sampleOf: (session: SupervisedSession) => number | undefined) => ({
    labels,
    read: () =>
      ownSessions(sessions).flatMap(({ session, purpose }) => {
        const value = sampleOf(session)
        return value === undefined ? [] : [{ labels: { realm: session.realm_uri, purpose }, value }]
      }),
  })
  return {
    gateway_router_session_up: {
      help: "1 while the gateway's own session in the realm is joined.",
      across: 'min',
      ...source(({ isOpen }) => Number(isOpen)),
    },
    gateway_router_session_state: {
      help: "1 for the state of the gateway's own session in the realm: joined, joining, or refused (the router has refused the last try).",
      across: 'max',
      labels: [...labels, 'state'],
      read: () =>
        ownSessions(sessions).flatMap(({ session, purpose }) =>
          states.map((state) => ({
            labels: { realm: session.realm_uri, purpose, state },
            value: Number(stateOf(session) === state),
          })),
        ),
    },
    gateway_router_session_reconnects_total: {
      help: "How often the gateway's own session in the realm has joined again.",
      isCounter: true,
      ...source(({ record }) => record.reconnects),
    },
    gateway_router_session_last_error_timestamp_seconds: {
      help: "When the gateway's own session in the realm last ended or failed to join; seconds since the epoch.",
      across: 'max',
      ...source(({ record }) => record.lastError && record.lastError.at / 1000),
    },
  }
}
