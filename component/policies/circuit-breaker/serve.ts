/** What serves `circuit_breaker`: its stage, and the circuits of a process. */
import type { Clock } from '#component/clock.ts'
import type { Families } from '#component/metrics/families.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import type { CircuitState } from './breaker.ts'
import { Circuits } from './circuits.ts'
import { breaker, type CircuitPorts } from './guarded-actions.ts'
import { circuitBreaker as kind } from './kind.ts'

const numbers: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }

/** @param hasApiLabel whether `api` and `version` are labels (`metrics.api_label`) */
const circuitSources = (
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

export interface World {
  readonly clock: Pick<Clock, 'now'>
  readonly families: Pick<Families, 'hasApiLabel'>
}

/** The other half of the row in `kind.ts`. */
export const circuitBreaker = servedPolicy('circuits', {
  stages: [
    {
      stage: breaker,
      place: 'before body',
      isNeeded: (plans) => kind.planOf(plans) !== undefined,
      isOfInvocations: true,
    },
  ],
  open({ clock, families }: World) {
    const port: CircuitPorts = { circuits: new Circuits(), clock }
    return { port, sources: circuitSources(port, families.hasApiLabel) }
  },
})
