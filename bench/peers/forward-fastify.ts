/** @fastify/http-proxy with its defaults: `node bench/peers/forward-fastify.ts UPSTREAM_ORIGIN`. */
import type { AddressInfo } from 'node:net'
import proxy from '@fastify/http-proxy'
import fastify from 'fastify'

const server = fastify()
await server.register(proxy, { upstream: process.argv[2] ?? '' })
await server.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`listening ${(server.server.address() as AddressInfo).port}\n`)
