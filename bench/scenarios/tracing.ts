/** What a trace token costs while it is alive: requests that do not send it, and those that do. */
import type { Ask } from '#bench/asks.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario } from '#bench/stage.ts'
import { staticPath } from './static.ts'

async function tokenOf(admin: string): Promise<string> {
  const answer = await fetch(`${admin}/api_specs/com.example.bench/trace_tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seconds: 3_600 }),
  })
  const { token } = (await answer.json()) as { token?: string }
  if (token === undefined) throw new Error(`no trace token: ${answer.status}`)
  return token
}

/** One fixed answer of two gateways, of which one has a token. */
export const tracing: Scenario = {
  about: 'a fixed answer of 50 bytes, of gateways with and without a trace token',
  build: async (stage) => {
    const paths = { '/about': staticPath(small) }
    const off = await stage.gateway('ours, no token', paths)
    const on = await stage.gateway('ours, a token', paths)
    const token = await tokenOf(on.admin)
    const expected = { body: JSON.stringify(small) }
    const ask: Ask = { path: '/about', expected }
    stage.compare('ours, no token', off, [ask])
    stage.compare('ours, a token that is not sent', on, [ask])
    stage.compare('ours, a token that is sent', on, [
      { ...ask, headers: { 'x-gateway-trace': token } },
    ])
  },
}
