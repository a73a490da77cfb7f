/** The upstream of the forward scenario; says when the path is not the one that was asked: `node bench/peers/upstream.ts PATH BODY`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [path, body = ''] = process.argv.slice(2)
const headers = ['content-type', 'application/json', 'content-length', `${Buffer.byteLength(body)}`]

const server = createServer((request, response) => {
  if (request.url !== path) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
