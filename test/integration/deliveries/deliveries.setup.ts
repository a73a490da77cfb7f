/** A receiver of deliveries, and a session that publishes. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'

/** The realm of the documents, which lets everybody in. */
export const realm = 'com.example.test'

/** A request that has come. */
interface Received {
  readonly id: string
  readonly attempt: number
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** As it was signed. */
  readonly raw: string
  readonly headers: Readonly<Record<string, string>>
}

/** An HTTP endpoint. */
export interface Receiver {
  /** `http://127.0.0.1:…` */
  readonly origin: string
  readonly received: readonly Received[]
  /** The ids that had two attempts at once. */
  readonly doubled: ReadonlySet<string>
  /** What is answered: a status and header fields; undefined: nothing. */
  answer: (request: Received) => readonly [number, Record<string, string>?] | undefined
  close(): void
}

/** Starts one on a free port. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const open = new Set<string>()
  const doubled = new Set<string>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers, url: path = '' } = request
    const id = String(headers['webhook-id'])
    const raw = Buffer.concat(chunks).toString()
    const body = JSON.parse(raw)
    const one: Received = {
      ...{ id, attempt: Number(headers['x-attempt']), path, body, raw },
      headers: headers as Readonly<Record<string, string>>,
    }
    if (open.has(id)) doubled.add(id)
    open.add(id)
    response.once('close', () => open.delete(id))
    received.push(one)
    const answer = receiver.answer(one)
    if (answer) response.writeHead(answer[0], answer[1]).end()
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ received, doubled },
    answer: () => [200],
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}

/** A document with deliveries only. */
export const documentOf = (deliveries: object, more: object = {}) => ({
  id: 'com.example.hooks',
  realm_uri: realm,
  deliveries,
  ...more,
})

/** An operation on the endpoints of a user. */
const operation = (action: object) => ({
  action: { type: 'delivery_endpoint', delivery: 'orders', ...action },
  response: { on_result: { body: '{{action.result}}' } },
})

/** A document with one delivery, which goes to endpoints that users list, add, remove and rotate. */
export const documentOfEndpoints = (orders: object) =>
  documentOf(
    { orders },
    {
      host: '_',
      versions: {
        1: {
          base_path: '/me',
          defaults: { security: { type: 'basic' } },
          paths: {
            '/endpoints': {
              get: operation({ do: 'list' }),
              post: operation({ do: 'add', url: '{{request.body.url}}' }),
            },
            '/endpoints/:id': {
              delete: operation({ do: 'remove', id: '{{request.bindings.id}}' }),
            },
            '/endpoints/:id/secret': {
              post: operation({ do: 'rotate', id: '{{request.bindings.id}}' }),
            },
          },
        },
      },
    },
  )

/** A delivery to the receiver, which tells the attempt. */
export const deliveryTo = ({ origin }: Receiver, more: object = {}) => ({
  topic: 'com.example.order.',
  match: 'prefix',
  to: { url: `${origin}/hooks`, headers: { 'x-attempt': '{{delivery.attempt |> string}}' } },
  body: { type: '{{action.event.topic}}', data: '{{action.event.kwargs}}' },
  ...more,
})

/** A session that publishes. */
export interface Publisher {
  publish(topic: string, kwargs: object): Promise<void>
  close(): Promise<void>
}

/** Joins the realm. */
export async function openPublisher(url: string): Promise<Publisher> {
  const wampy = new Wampy(url, {
    realm,
    ws: WebSocket as never,
    autoReconnect: false,
    uriValidation: 'loose',
  })
  await wampy.connect()
  return {
    async publish(topic, argsDict) {
      await wampy.publish(topic, { argsDict } as never)
    },
    async close() {
      await wampy.disconnect()
    },
  }
}
