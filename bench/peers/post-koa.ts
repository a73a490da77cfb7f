/** Koa with koa-body that reads a JSON body and answers with a part of it: `node bench/peers/post-koa.ts`. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { koaBody } from 'koa-body'

const app = new Koa()
app.use(koaBody())
app.use((context) => {
  const { name } = context.request.body as { name: unknown }
  context.body = { received: name }
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
