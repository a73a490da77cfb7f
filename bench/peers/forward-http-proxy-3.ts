/** http-proxy-3 with connections kept alive: `node bench/peers/forward-http-proxy-3.ts UPSTREAM_ORIGIN`. */
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyServer } from 'http-proxy-3'

const agent = new Agent({ keepAlive: true, maxSockets: 512 })
const proxy = createProxyServer({ target: process.argv[2] ?? '', agent })
const server = createServer((request, response) => void proxy.web(request, response))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
