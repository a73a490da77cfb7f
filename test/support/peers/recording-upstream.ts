/** An HTTP server that keeps what arrives, byte for byte. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** One request as it arrived. */
export interface Arrived {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Names in lower case; repeats joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Answers every request. */
export interface RecordingUpstream {
  readonly origin: string
  /** In order. */
  readonly arrived: Arrived[]
  /** The statuses of the next answers; then 200. */
  readonly statuses: number[]
  /** Takes all that has arrived. */
  take(): Arrived[]
  close(): void
}

/** Starts one on a free port of 127.0.0.1. */
export async function recordingUpstream(): Promise<RecordingUpstream> {
  const arrived: Arrived[] = []
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: target = '', headersDistinct } = request
    const headers: Record<string, string> = {}
    for (const [name, values = []] of Object.entries(headersDistinct)) {
      headers[name] = values.join(', ')
    }
    arrived.push({ method, target, headers, body: await buffer(request) })
    response.writeHead(statuses.shift() ?? 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived, statuses },
    take: () => arrived.splice(0),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
