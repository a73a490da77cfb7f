/** What serves `circuit_breaker`: its stage, and the circuits of a process. */
import type { Clock } from '#component/clock.ts'
import type { Families } from '#component/metrics/families.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import { circuitSources } from './circuit-status.ts'
import { Circuits } from './circuits.ts'
import { breaker, type CircuitPorts } from './guarded-actions.ts'
import { circuitBreaker as kind } from './kind.ts'

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
    },
  ],
  open({ clock, families }: World) {
    const port: CircuitPorts = { circuits: new Circuits(), clock }
    return { port, sources: circuitSources(port, families.hasApiLabel) }
  },
})
