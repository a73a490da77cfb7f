/** The parts that all wiring of a process shares: its state, its users, and the limits on its peers. */

import { collectAfter } from '#component/limits/gc-pressure.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import { LoginCounts } from '#component/login-counts.ts'
import { Families } from '#component/metrics/families.ts'
import { Attempts } from '#component/security/attempts.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'
import { openTelemetry } from '#component/wiring/telemetry/open-telemetry.ts'
import { type NodeState, openState, type StartPorts } from './open-store.ts'
import { Users } from './users.ts'

/** One for each process. */
export interface WiringContext extends NodeState {
  readonly users: Users
  readonly attempts: Attempts
  /** What is counted by place. */
  readonly families: Families
  readonly logins: LoginCounts
  /** How much is used of the limits of this process. */
  readonly usage: LimitUsage
  /** The bytes that this process holds for its peers. */
  readonly budget: Quota
  /** Begins distributed traces; undefined where they are off. */
  readonly telemetry: Telemetry | undefined
  /** Closes the store, last of all. */
  close(): Promise<void>
}

/** Opens the parts. Throws as {@link openState} does. */
export async function openContext(ports: StartPorts): Promise<WiringContext> {
  const { api_label: hasApiLabel, max_series: maxSeries } = ports.config.metrics
  const families = new Families({ now: () => ports.clock.now(), hasApiLabel, maxSeries })
  const { telemetry, close } = await openTelemetry(ports.config, { ...ports, families })
  const state = await openState(ports)
  const users = new Users(state)
  users.start()
  families.yieldTurn = state.yieldTurn
  const budget = new Quota(ports.config.limits.buffered_bytes)
  const usage = new LimitUsage()
  usage.declare('limits.buffered_bytes', budget.limit, () => budget.used)
  const stopCollecting = collectAfter(budget, { clock: ports.clock })
  return {
    ...{ ...state, users, budget, families, telemetry, usage },
    attempts: new Attempts(ports.config.rate_limits, usage),
    logins: new LoginCounts(),
    async close() {
      stopCollecting()
      await users.stop()
      await close()
      await state.store.close()
    },
  }
}
