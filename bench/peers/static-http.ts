/** Bare node:http answering the bytes of the static scenario: `node bench/peers/static-http.ts BODY [PORT]`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = process.argv[2] ?? ''
const headers = ['content-type', 'application/json', 'content-length', `${Buffer.byteLength(body)}`]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
