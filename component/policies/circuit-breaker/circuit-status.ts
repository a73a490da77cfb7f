/** What a process tells of its circuit breakers in /metrics. */

import type { MetricSources } from '#component/metrics/source.ts'
import type { CircuitState } from '#component/policies/circuit-breaker/breaker.ts'
import type { CircuitPorts } from '#component/policies/circuit-breaker/guarded-actions.ts'

const numbers: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }

/** @param hasApiLabel whether `api` and `version` are labels (`metrics.api_label`) */
export const circuitSources = (
  { circuits, clock }: CircuitPorts,
  hasApiLabel: boolean,
): MetricSources => ({
  gateway_circuit_state: {
    help: 'State of the circuits of a circuit_breaker: 0 closed, 1 half-open, 2 open, by API, version and target as the document writes it; the worst where it has several. Those that no request has used for five minutes are left out.',
    across: 'max',
    labels: hasApiLabel ? ['api', 'version', 'target'] : ['target'],
    read: () => {
      const states = circuits.states(clock.now(), hasApiLabel)
      return states.map(({ name: { api, version, text: target }, state }) => ({
        labels: hasApiLabel ? { api, version, target } : { target },
        value: numbers[state],
      }))
    },
  },
})
