/** Gateways whose workers are killed, and workers that take the place of others. */
import type { GatewayProcess } from '#test/support/gateway-process.ts'
import { until } from '#test/support/running/until.ts'
import { allAnswer, isAlive, nodeOf, startWorkers } from '#test/support/worker-gateway.ts'

/** Waits until a worker of this name answers, in another process than that of this id. */
export async function replaced(gateway: GatewayProcess, name: string, pid: number): Promise<void> {
  await until(
    `${name} is replaced`,
    () => (gateway.workers().get(name) ?? pid) !== pid && !isAlive(pid),
  )
  await until(`${name} answers`, async () => (await nodeOf(gateway)) === name)
}

/** A gateway of the suite that this is called in; all its workers answer before each test. */
export function workersOf(count: number): () => GatewayProcess {
  let gateway: GatewayProcess
  before(async () => {
    gateway = await startWorkers(count)
  })
  after(() => gateway.kill())
  beforeEach(() => allAnswer(gateway, count))
  return () => gateway
}
