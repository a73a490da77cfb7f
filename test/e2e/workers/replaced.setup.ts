/** Waits for workers that take the place of others. */
import type { GatewayProcess } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { isAlive, nodeOf } from '#test/support/worker-gateway.ts'

/** Waits until a worker of this name answers, in another process than that of this id. */
export async function replaced(gateway: GatewayProcess, name: string, pid: number): Promise<void> {
  await until(
    `${name} is replaced`,
    () => (gateway.workers().get(name) ?? pid) !== pid && !isAlive(pid),
  )
  await until(`${name} answers`, async () => (await nodeOf(gateway)) === name)
}
