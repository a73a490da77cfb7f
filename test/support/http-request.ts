/** One HTTP request on a connection of its own, or of an agent, with the Host header that the test wants. */
import { once } from 'node:events'
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** What is asked. */
export interface HttpRequest {
  readonly method?: string
  /** The Host header; that of the address when absent. */
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is; anything but text and bytes as JSON, with its content type. */
  readonly body?: unknown
  /** Keeps the connection for further requests; absent: each request has one of its own. */
  readonly agent?: Agent
}

/** What came back, whole. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. @throws SyntaxError when it is none */
  json(): unknown
}

/** Sends the request to `base` + `target` and reads the whole answer. */
export async function send(
  base: string,
  target: string,
  { method = 'GET', host, headers = {}, body, agent }: HttpRequest = {},
): Promise<HttpAnswer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const outgoing = request(`${base}${target}`, {
    method,
    agent: agent ?? false,
    headers: {
      ...(host !== undefined && { host }),
      ...(!isRaw && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  outgoing.end(isRaw ? body : JSON.stringify(body))
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    bytes,
    text: bytes.toString(),
    json: () => JSON.parse(bytes.toString()) as unknown,
  }
}
