/** An upstream; 404 when the target or the body is not the one that was expected: `node bench/peers/upstream.ts TARGET BODY [EXPECTED_BODY]`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [target, body = '', expected = ''] = process.argv.slice(2)
const headers = ['content-type', 'application/json', 'content-length', `${Buffer.byteLength(body)}`]

const server = createServer((request, response) => {
  let received = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    received += chunk
  })
  request.on('end', () => {
    if (request.url !== target || received !== expected) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, headers)
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
