/** Bare Koa answering the bytes of the static scenario: `node bench/peers/static-koa.ts BODY`. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'

const body = process.argv[2] ?? ''

const app = new Koa()
app.use((context) => {
  context.type = 'application/json'
  context.body = body
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
