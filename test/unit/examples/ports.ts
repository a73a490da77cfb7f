/** What a gateway without a configuration tests examples with. */
import { systemClock } from '#component/clock.ts'
import { readConfig } from '#component/config/config.ts'
import type { ExamplePorts } from '#component/examples/examples.ts'
import { Validators } from '#component/schema/validators.ts'
import { rehearsalPorts } from '#component/wiring/explain/rehearsal-ports.ts'

export const examplePorts: ExamplePorts = {
  compile: { callTimeout: 30_000, schemas: { validators: new Validators() } },
  rehearsal: rehearsalPorts(readConfig(undefined, {}), 'node-1'),
  clock: systemClock,
}
