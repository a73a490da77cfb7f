/** What the signature of a webhook costs: the same POST of 2 kB on an open path, and on one that checks who has signed it. */
import { createHmac } from 'node:crypto'
import type { Ask } from '#bench/asks.ts'
import { post, realm } from '#bench/gateway.ts'
import type { Scenario } from '#bench/stage.ts'
import { procedure, startCallee } from './wamp.ts'

const key = Buffer.alloc(32, 7)
const body = JSON.stringify({ name: 'bench', text: 'x'.repeat(2_000) })

/** A sender whose signatures hold for a day, so that one lasts for the run. */
const realmDocument = {
  uri: realm,
  authmethods: ['anonymous'],
  info: {
    webhook_senders: {
      bench: { scheme: 'standard', tolerance: 86_400, secret: `whsec_${key.toString('base64')}` },
    },
  },
}

/** The fields of a message of Standard Webhooks, signed now. */
function signedFields(): Readonly<Record<string, string>> {
  const time = String(Math.floor(Date.now() / 1000))
  const text = createHmac('sha256', key).update(`msg_bench.${time}.${body}`).digest('base64')
  const fields = { 'webhook-id': 'msg_bench', 'webhook-timestamp': time }
  return { ...fields, 'webhook-signature': `v1,${text}` }
}

const call = {
  action: { type: 'wamp_call', procedure, args: ['{{request.body.name}}'] },
  response: {
    on_result: { status_code: 200, body: '{{action.result.args |> head}}' },
    on_error: {},
  },
}
const fixed = {
  action: { type: 'static', body: { received: '{{request.body.name}}' } },
  response: { on_result: { status_code: 200 }, on_error: {} },
}
const security = { type: 'webhook', sender: 'bench' }

/** Both paths get the same header fields. */
export const webhook: Scenario = {
  about:
    'POST of 2 kB of JSON, signed by Standard Webhooks: one member comes back, or goes to a call',
  build: async (stage) => {
    const paths = {
      '/open-call': { post: call },
      '/signed-call': { security, post: call },
      '/open': { post: fixed },
      '/signed': { security, post: fixed },
    }
    const ours = await stage.gateway('ours', paths)
    await post(`${ours.admin}/services/load_realm`, realmDocument)
    await startCallee(stage, ours.routerUrl, 'Hello, {}!')
    const headers = signedFields()
    const asksOf = (path: string, value: unknown): readonly Ask[] => [
      { method: 'POST', path, headers, body, expected: { body: JSON.stringify(value) } },
    ]
    const [called, read] = ['Hello, bench!', { received: 'bench' }]
    stage.compare('call', ours, asksOf('/open-call', called), { against: 'call' })
    stage.compare('call, webhook', ours, asksOf('/signed-call', called), { against: 'call' })
    stage.compare('static', ours, asksOf('/open', read), { against: 'static' })
    stage.compare('static, webhook', ours, asksOf('/signed', read), { against: 'static' })
  },
}
