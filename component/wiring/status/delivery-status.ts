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
  const samples = (
    samplesOf: (one: KnownDelivery) => readonly MetricSample[],
    isOfOwner = false,
  ): readonly MetricSample[] =>
    outbox
      .known()
      .filter(({ isOwner }) => isOwner || !isOfOwner)
      .flatMap((one) => {
        const named = { ...(hasApiLabel && { api: one.api_spec }), delivery: one.name }
        return samplesOf(one).map(({ labels: more, value }) => ({
          labels: { ...named, ...more },
          value,
        }))
      })
  const gauge = (numberOf: (one: KnownDelivery) => number) => ({
    across: 'max' as const,
    labels,
    read: () => samples((one) => [{ labels: {}, value: numberOf(one) }], true),
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
      ...gauge(({ pending }) => pending),
    },
    gateway_delivery_dead: {
      help: 'Dead letters of a delivery, as the process that sends its events knows.',
      ...gauge(({ dead }) => dead),
    },
    gateway_delivery_oldest_seconds: {
      help: 'Age of the oldest event of a delivery that waits, looked at once a minute; 0: none waits.',
      ...gauge(({ oldestAt, pending }) =>
        oldestAt === undefined || pending === 0 ? 0 : Math.max(now() - oldestAt, 0) / 1000,
      ),
    },
    gateway_delivery_state: {
      help: '1 for the state of a delivery: active, failing (one event probes the endpoint), paused, stopped (events are not accepted), inactive.',
      across: 'max',
      labels: [...labels, 'state'],
      read: () =>
        samples(
          ({ state }) =>
            deliveryStates.map((each) => ({
              labels: { state: each },
              value: Number(each === state),
            })),
          true,
        ),
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

/** How many deliveries are stopped: a note of /ready. */
export const stoppedDeliveries = (outbox: Known): number =>
  outbox.known().filter(({ state }) => state === 'stopped').length

/** Deliveries as /registry shows them. */
export const deliveriesOf = (outbox: Known) =>
  outbox.known().map(({ realm_uri, api_spec, name: delivery, ...one }) => {
    const { state, isOwner: is_owner, pending, dead } = one
    return { ...{ api_spec, realm_uri, delivery, state, is_owner, pending, dead } }
  })
