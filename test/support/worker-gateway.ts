/** What tests of gateways with several workers share: a document, and who answers a new connection. */

import { until } from '#test/support/running/until.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { send } from './http-request.ts'

/** The realm of {@link workersDocument}. */
export const realm = 'com.example.test'

/** The procedure that its `/called` calls. */
export const procedure = 'com.example.test.called'

const response = { on_result: {}, on_error: {} }

/** `/workers/static` and `/workers/called`. */
export const workersDocument = {
  id: 'com.example.workers',
  host: '_',
  realm_uri: realm,
  versions: {
    '1.0.0': {
      base_path: '/workers',
      paths: {
        '/static': { get: { action: { type: 'static', body: 'here' }, response } },
        '/called': {
          get: {
            action: { type: 'wamp_call', procedure, timeout: 20_000 },
            response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
          },
        },
      },
    },
  },
}

/** Starts a gateway of so many workers, with the document loaded. */
export async function startWorkers(
  workers: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ workers: String(workers), ...settings })
  try {
    await gateway.post('/api_specs', workersDocument)
  } catch (error) {
    await gateway.kill()
    throw error
  }
  return gateway
}

/** The name of the worker that a new connection is given to. */
export async function nodeOf({ adminUrl }: GatewayProcess): Promise<string> {
  const { node } = (await send(adminUrl, '/registry')).json() as { readonly node: string }
  return node
}

/** Waits until each of so many workers has answered. */
export async function allAnswer(gateway: GatewayProcess, workers: number): Promise<void> {
  const names = new Set<string>()
  await until(
    `${workers} workers answer`,
    async () => names.add(await nodeOf(gateway)).size === workers,
  )
}

/** Is there a process of this id? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
