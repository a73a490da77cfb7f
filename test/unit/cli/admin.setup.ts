/** A gateway's management that gives fixed answers. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answers = Readonly<Record<string, readonly [status: number, body: string]>>

/** Serves these paths while `use` runs; others are 404. */
export async function serveOnce<T>(answers: Answers, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(({ url = '' }, response) => {
    const [status, body] = answers[url] ?? [404, '{}']
    response.writeHead(status, {
      'content-type': body.startsWith('{') ? 'application/json' : 'text/plain',
    })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
