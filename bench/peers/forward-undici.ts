/** Bare node:http that forwards through undici: `node bench/peers/forward-undici.ts UPSTREAM_ORIGIN`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2] ?? '')

const server = createServer(async ({ url = '/' }, response) => {
  try {
    const answer = await pool.request({ path: url, method: 'GET' })
    const body = await answer.body.text()
    const type = String(answer.headers['content-type'])
    const length = `${Buffer.byteLength(body)}`
    response.writeHead(answer.statusCode, ['content-type', type, 'content-length', length])
    response.end(body)
  } catch {
    response.writeHead(502).end()
  }
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
