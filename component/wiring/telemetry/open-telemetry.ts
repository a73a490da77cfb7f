/** Distributed tracing of a process, as the section `telemetry` of the configuration wants it. */
import { randomFillSync } from 'node:crypto'
import { type Config, ConfigError } from '#component/config/config.ts'
import { propagation } from '#component/telemetry/propagation.ts'
import { RandomIds } from '#component/telemetry/random-ids.ts'
import { sampler } from '#component/telemetry/sampler.ts'
import type { OpenTelemetry, TelemetryPorts } from './open-export.ts'

const nothingLeft = async (): Promise<void> => undefined

/** @throws ConfigError */
export async function openTelemetry(config: Config, ports: TelemetryPorts): Promise<OpenTelemetry> {
  const { traces, sample, trust } = config.telemetry
  if (traces === 'off') return { telemetry: undefined, close: nothingLeft }
  const origins = { ids: new RandomIds(randomFillSync), isSampled: sampler(sample), trust }
  if (traces === 'propagate') return { telemetry: propagation(origins), close: nothingLeft }
  // a start that sends no spans does not pay for it
  const { openExport } = await import('./open-export.ts')
  return await openExport(config, ports, origins).catch((cause: Error) => {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError([`option "telemetry.traces": ${cause.message}`], { cause })
  })
}
