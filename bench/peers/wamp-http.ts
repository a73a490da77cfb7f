/** Bare node:http that calls through wampy: `node bench/peers/wamp-http.ts ROUTER_URL REALM PROCEDURE`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Wampy } from 'wampy'
import { MsgpackSerializer } from 'wampy/MsgpackSerializer.js'
import { WebSocket } from 'ws'

type Options = NonNullable<ConstructorParameters<typeof Wampy>[1]>

const [url = '', realm = '', procedure = ''] = process.argv.slice(2)
const ws = WebSocket as unknown as NonNullable<Options['ws']>
const session = new Wampy(url, { realm, ws, serializer: new MsgpackSerializer() })
await session.connect()

const server = createServer(async ({ url: target = '' }, response) => {
  try {
    const { argsList } = await session.call(procedure, [target.slice(target.lastIndexOf('/') + 1)])
    const body = JSON.stringify({ greeting: (argsList as unknown[])[0] })
    const length = `${Buffer.byteLength(body)}`
    response.writeHead(200, ['content-type', 'application/json', 'content-length', length])
    response.end(body)
  } catch {
    response.writeHead(502).end()
  }
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
