/** Bare node:http that reads a JSON body and answers with a part of it: `node bench/peers/post-http.ts`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { name } = JSON.parse(Buffer.concat(chunks).toString()) as { name: unknown }
    const body = JSON.stringify({ received: name })
    const length = `${Buffer.byteLength(body)}`
    response.writeHead(200, ['content-type', 'application/json', 'content-length', length])
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
