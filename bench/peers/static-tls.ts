/** Bare node:http2, by its core API, or bare node:https, answering one body: `node bench/peers/static-tls.ts 2|1.1 CERT KEY BODY`. */
import { readFileSync } from 'node:fs'
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const [version, certFile = '', keyFile = '', body = ''] = process.argv.slice(2)
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
const headers = ['content-type', 'application/json', 'content-length', `${Buffer.byteLength(body)}`]

const overHttp2 = () => {
  const made = createSecureServer(tls)
  made.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => undefined)
    stream.respond([':status', '200', ...headers])
    stream.end(body)
  })
  return made
}
const overHttp1 = () =>
  createServer(tls, (_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })

const server = version === '2' ? overHttp2() : overHttp1()
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
