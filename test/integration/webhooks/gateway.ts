/** A gateway with senders of webhooks, an upstream, and messages that are signed for its clock. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { systemClock } from '#component/clock.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpRequest, send } from '#test/support/http-request.ts'

export const realm_uri = 'com.example.hooks'
const standardSecret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const response = { on_result: {}, on_error: {} }

/** What an operation knows of a message. */
const seen = {
  action: {
    type: 'static',
    body: {
      authid: '{{security.authid}}',
      id: '{{security |> get(webhook_id, none)}}',
      timestamp: '{{security |> get(webhook_timestamp, none)}}',
      sender: '{{security.sender}}',
      body: '{{request.body}}',
    },
  },
  response,
}

const path = (sender: string, more: object = {}) => ({
  security: { type: 'webhook', sender },
  post: seen,
  ...more,
})

/** The document whose upstream is at this port. */
const documentOf = (port: number) => ({
  ...{ id: 'hooks', host: '_', realm_uri },
  versions: {
    one: {
      base_path: '/v1',
      defaults: { body_max_bytes: 100_000 },
      paths: {
        '/standard': path('standard', { get: seen }),
        '/stripe': path('stripe'),
        '/github': path('github'),
        '/hmac': path('hmac', { get: seen }),
        '/disabled': path('disabled'),
        '/missing': path('missing'),
        '/forward': path('standard', {
          post: { action: { type: 'forward', host: `http://127.0.0.1:${port}` }, response },
        }),
      },
    },
  },
})

const realm = {
  uri: realm_uri,
  authmethods: ['anonymous', 'password', 'ticket'],
  users: [
    { username: 'hook', groups: ['hooks'] },
    { username: 'gone', enabled: false },
  ],
  info: {
    webhook_senders: {
      standard: { scheme: 'standard', secret: standardSecret, username: 'hook' },
      stripe: { scheme: 'stripe', secrets: ['whsec_new', 'whsec_old'] },
      github: { scheme: 'github', secret: 'of github' },
      hmac: { scheme: 'hmac', header: 'x-signature', secret: 'of hmac' },
      disabled: { scheme: 'github', secret: 'of github', username: 'gone' },
    },
  },
}

/** How a message is signed beside its body. */
interface Signing {
  readonly id?: string
  /** Seconds from the clock of the gateway. */
  readonly at?: number
}

/** A running gateway. */
export interface HookGateway {
  readonly gateway: TestGateway
  /** What the upstream got, one text a request. */
  readonly forwarded: string[]
  /** Seconds since the epoch, at the gateway. */
  readonly now: number
  /** The fields of a message to `standard`. */
  standard(body: string, signing?: Signing): Record<string, string>
  post(path: string, request: HttpRequest): ReturnType<typeof send>
  stop(): Promise<void>
}

/** The field of GitHub. */
export const githubField = (body: string | Uint8Array, secret = 'of github') =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** A gateway whose clock stands still to the second, with everything loaded. */
export async function startHooks(
  settings: Readonly<Record<string, string>> = {},
): Promise<HookGateway> {
  const now = Math.floor(Date.now() / 1000)
  const forwarded: string[] = []
  const upstream: Server = createServer(async (request, answer) => {
    const chunks = await request.toArray()
    const { method, headers } = request
    const length = headers['content-length'] ?? headers['transfer-encoding']
    forwarded.push(`${method} ${length} ${Buffer.concat(chunks)}`)
    answer.end('ok')
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  const clock = { ...systemClock, now: () => now * 1000 }
  const gateway = await startGateway(settings, { isEmbedded: true, clock })
  const loading = await send(gateway.adminUrl, '/realms', { method: 'POST', body: realm })
  const loaded = await gateway.load(documentOf((upstream.address() as AddressInfo).port))
  if (loading.status > 201 || loaded.status !== 201) {
    throw new Error(loading.text + JSON.stringify(loaded.body))
  }
  return {
    ...{ gateway, forwarded, now },
    standard(body, { id = 'msg_1', at = 0 } = {}) {
      const time = new Date((now + at) * 1000)
      return {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(now + at),
        'webhook-signature': new Webhook(standardSecret).sign(id, time, body),
      }
    },
    post: (path, request) => send(gateway.url, path, { method: 'POST', ...request }),
    async stop() {
      await gateway.stop()
      upstream.closeAllConnections()
      upstream.close()
    },
  }
}
