/** A gateway with upstreams, and targets that tell what they were asked. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

/** Answers a request to a target. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A backend on a port of its own. */
export interface TestTarget {
  readonly url: string
  /** `METHOD path` of each request that has come. */
  readonly asked: string[]
  /** How many connections are open. */
  connections(): Promise<number>
  /** Takes no more connections, and ends those that are open. */
  stop(): void
}

/** The realm of the documents. */
export const realm_uri = 'com.example.test'

const closers: (() => unknown)[] = []

/** Ends gateways and targets. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

/** Starts a target; it answers its name unless told otherwise. */
export async function startTarget(
  handler: Handler = (_request, response) => response.end('ok'),
): Promise<TestTarget> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    void handler(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  closers.push(stop)
  const { port } = server.address() as AddressInfo
  const connections = promisify(server.getConnections).bind(server)
  return { url: `http://127.0.0.1:${port}`, asked, connections, stop }
}

/** A document whose paths forward to an upstream. */
export const documentOf = (
  action: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) => {
  const forward = { action: { type: 'forward', upstream: 'it', ...action }, response: {} }
  const methods = Object.fromEntries(['get', 'post', 'put'].map((method) => [method, forward]))
  const paths = { '/it': methods, '/it/[...]': methods }
  return { id: 'x', realm_uri, host: '_', versions: { '1': { base_path: '/v1', paths } }, ...more }
}

/** A gateway under test. */
export interface UpstreamGateway extends TestGateway {
  /** Loads the upstreams of the realm; the answer. */
  setUpstreams(upstreams: unknown): Promise<{ readonly status: number; readonly body: unknown }>
}

/** Starts a gateway. @param settings options by dotted key */
export async function startWith(
  upstreams: unknown,
  document: unknown = documentOf(),
  settings: Readonly<Record<string, string>> = {},
  setup: Parameters<typeof startGateway>[1] = {},
): Promise<UpstreamGateway> {
  const gateway = await startGateway(settings, setup)
  closers.push(() => gateway.stop())
  const setUpstreams = async (info: unknown) => {
    const answer = await fetch(`${gateway.adminUrl}/services/load_realm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        uri: realm_uri,
        authmethods: ['anonymous'],
        info: { upstreams: info },
      }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  await setUpstreams(upstreams)
  await gateway.load(document)
  return { ...gateway, setUpstreams }
}
