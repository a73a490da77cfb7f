/** A receiver of OTLP over HTTP: keeps the spans that come, and answers as a test wants it. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { type ReceivedSpan, readSpans } from './otlp.ts'

/** A request that came. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly spans: readonly ReceivedSpan[]
  /** Its body, byte by byte. */
  readonly text: string
}

/** A receiver under way. */
export interface Receiver {
  /** Its base address, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** All requests so far, those that were refused included. */
  readonly requests: readonly Received[]
  /** The spans of requests that were answered with 200; a test may empty it. */
  readonly spans: ReceivedSpan[]
  /** What later requests are answered with; by default 200. */
  answer: (response: ServerResponse) => void
  close(): Promise<void>
}

/** What it serves HTTPS with. */
interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * @param port 0: a free one
 * @param pair for `localhost`; absent: it serves HTTP
 */
export async function startReceiver(port = 0, pair?: Pair): Promise<Receiver> {
  const requests: Received[] = []
  const spans: ReceivedSpan[] = []
  const take: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { headers, url: path = '' } = request
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    const received = readSpans(plain)
    requests.push({ path, headers, spans: received, text: plain.toString('latin1') })
    response.on('finish', () => {
      if (response.statusCode === 200) spans.push(...received)
    })
    receiver.answer(response)
  }
  const server = pair ? createTlsServer(pair, take) : createServer(take)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const receiver: Receiver = {
    url: pair ? `https://localhost:${address.port}` : `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    spans,
    answer: (response) => response.writeHead(200).end(),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return receiver
}
