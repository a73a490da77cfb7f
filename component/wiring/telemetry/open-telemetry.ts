/** Distributed tracing of a process, as the section `telemetry` of the configuration wants it. */
import { randomFillSync } from 'node:crypto'
import { type Config, ConfigError } from '#component/config/config.ts'
import { propagation } from '#component/telemetry/propagation.ts'
import { RandomIds } from '#component/telemetry/random-ids.ts'
import { sampler } from '#component/telemetry/sampler.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'

/**
 * Undefined where traces are off.
 * @throws ConfigError
 */
export function openTelemetry({ telemetry }: Config): Telemetry | undefined {
  const { traces, sample, trust } = telemetry
  if (traces === 'off') return undefined
  if (traces === 'otlp') {
    throw new ConfigError(['option "telemetry.traces": this version does not send spans'])
  }
  return propagation({ ids: new RandomIds(randomFillSync), isSampled: sampler(sample), trust })
}
