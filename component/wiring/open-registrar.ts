/** Registering, as a process does it: over the gateway's own sessions, once the node is ready. */

import { ProcedureMetrics } from '#component/wiring/procedures/procedure-metrics.ts'
import { Registrar } from '#component/wiring/procedures/registrar.ts'
import { decodeBody } from '#http/codec.ts'
import { requestId } from '#http/request-id.ts'
import type { Needs } from './process-parts.ts'

/** What {@link openRegistrar} needs. */
export const registrarNeeds = ['accessLog', 'context', 'pool', 'serving'] as const

/** It follows the documents from now on, and registers nothing yet. */
export function openRegistrar({
  accessLog,
  context,
  pool,
  serving,
}: Needs<(typeof registrarNeeds)[number]>): Registrar {
  const { clock, config, families, log, telemetry } = context
  return new Registrar({
    ...{ clock, log, telemetry, newId: requestId, decode: decodeBody },
    gateway: serving.gateway,
    sessions: pool,
    metrics: new ProcedureMetrics(families),
    monotonic: () => performance.now(),
    accessLog: config.log.access ? accessLog : undefined,
    drainMs: config.gateway.drain_timeout,
  })
}

/** Registers what the documents declare. A router that is away, or refuses, does not keep the node from being ready. */
export const register = ({ registrar }: Needs<'registrar'>): Promise<void> => registrar.start()
