/** What a process tells of deliveries: in /metrics, in /ready and in /registry. */
import type { KnownDelivery, ProcessOutbox } from '#component/delivery/outbox.ts'
import { deliveryStates } from '#component/delivery/types.ts'
import type { MetricSample, MetricSources } from '#component/metrics/source.ts'

type Known = Pick<ProcessOutbox, 'known'>

/** The metrics of deliveries, by their names. @param now milliseconds since the epoch @param hasApiLabel whether `api` is a label */
export function deliverySources(
  outbox: Known,
  now: () => number,
  hasApiLabel: boolean,
): MetricSources {
  const labels = hasApiLabel ? ['api', 'delivery'] : ['delivery']
  const named = (one: KnownDelivery, some: readonly MetricSample[]): readonly MetricSample[] =>
    some.map(({ labels: more, value }) => ({
      labels: { ...(hasApiLabel && { api: one.api_spec }), delivery: one.name, ...more },
      value,
    }))
  const samples = (
    samplesOf: (one: KnownDelivery) => readonly MetricSample[],
    isOfOwner = false,
  ): readonly MetricSample[] =>
    wholes(outbox.known())
      .filter(({ isOwner }) => isOwner || !isOfOwner)
      .flatMap((one) => named(one, samplesOf(one)))
  /** Without endpoints of users: those are a matter of their users. */
  const partners = (samplesOf: (one: KnownDelivery) => readonly MetricSample[]) =>
    outbox
      .known()
      .filter(({ isOwner, endpoint }) => isOwner && endpoint === undefined)
      .flatMap((one) => named(one, samplesOf(one)))
  const gauge = (numberOf: (one: KnownDelivery) => number, isOfAll = false) => ({
    across: 'max' as const,
    labels,
    read: () => {
      const sample = (one: KnownDelivery) => [{ labels: {}, value: numberOf(one) }]
      return isOfAll ? samples(sample, true) : partners(sample)
    },
  })
  const counter = (
    name: string,
    countsOf: (one: KnownDelivery) => Readonly<Record<string, number>>,
  ) => ({
    isCounter: true,
    labels: [...labels, name],
    read: () =>
      samples((one) =>
        Object.entries(countsOf(one)).map(([key, value]) => ({ labels: { [name]: key }, value })),
      ),
  })
  return {
    gateway_delivery_pending: {
      help: 'Events of a delivery that wait, as the process that sends them knows.',
      ...gauge(({ pending }) => pending, true),
    },
    gateway_delivery_dead: {
      help: 'Dead letters of a delivery, as the process that sends its events knows; not of endpoints of users.',
      ...gauge(({ dead }) => dead),
    },
    gateway_delivery_oldest_seconds: {
      help: 'Age of the oldest event of a delivery that waits, looked at once a minute; 0: none waits. Not of endpoints of users.',
      ...gauge(({ oldestAt, pending }) =>
        oldestAt === undefined || pending === 0 ? 0 : Math.max(now() - oldestAt, 0) / 1000,
      ),
    },
    gateway_delivery_state: {
      help: '1 for the state of a delivery: active, failing (one event probes the endpoint), paused, stopped (events are not accepted), inactive. Not of endpoints of users.',
      across: 'max',
      labels: [...labels, 'state'],
      read: () =>
        partners(({ state }) =>
          deliveryStates.map((each) => ({
            labels: { state: each },
            value: Number(each === state),
          })),
        ),
    },
    gateway_delivery_endpoints: {
      help: 'Endpoints of users at a delivery by state, as the process that sends its events knows.',
      across: 'max',
      labels: [...labels, 'state'],
      read: () => {
        const ofUsers = outbox.known().filter(({ isOwner, endpoint }) => isOwner && endpoint)
        return [...Map.groupBy(ofUsers, keyOf).values()].flatMap((some) =>
          named(
            some[0] as KnownDelivery,
            deliveryStates.map((each) => ({
              labels: { state: each },
              value: some.filter(({ state }) => state === each).length,
            })),
          ),
        )
      },
    },
    gateway_delivery_accepted_total: {
      help: 'Events of a delivery that were written to the store.',
      isCounter: true,
      labels,
      read: () => samples(({ counts }) => [{ labels: {}, value: counts.accepted }]),
    },
    gateway_delivery_attempts_total: {
      help: 'Attempts of a delivery by result: ok (2xx), failed, not_sent (not rendered, or refused).',
      ...counter('result', ({ counts }) => counts.attempts),
    },
    gateway_delivery_gaps_total: {
      help: 'Gaps in the events of a delivery by reason: absent, router_lost, store_away, full, too_large, stopped, not_rendered.',
      ...counter('reason', ({ counts }) => counts.gaps),
    },
  }
}

const keyOf = ({ realm_uri, api_spec, name }: KnownDelivery): string =>
  JSON.stringify([realm_uri, api_spec, name])

/** Each delivery once: with endpoints of users, their sum. */
function wholes(all: readonly KnownDelivery[]): readonly KnownDelivery[] {
  return [...Map.groupBy(all, keyOf).values()].map((some) => {
    const { endpoint, ...first } = some[0] as KnownDelivery
    if (endpoint === undefined) return first
    const sum = (numberOf: (one: KnownDelivery) => number) =>
      some.reduce((sum, one) => sum + numberOf(one), 0)
    const state = some.every((one) => one.state === 'inactive') ? 'inactive' : 'active'
    return {
      ...first,
      state,
      pending: sum(({ pending }) => pending),
      dead: sum(({ dead }) => dead),
    }
  })
}

/** How many deliveries are stopped: a note of /ready. */
export const stoppedDeliveries = (outbox: Known): number =>
  wholes(outbox.known()).filter(({ state }) => state === 'stopped').length

/** Deliveries as /registry shows them. */
export const deliveriesOf = (outbox: Known) =>
  wholes(outbox.known()).map(({ realm_uri, api_spec, name: delivery, ...one }) => {
    const { state, isOwner: is_owner, pending, dead } = one
    return { ...{ api_spec, realm_uri, delivery, state, is_owner, pending, dead } }
  })
