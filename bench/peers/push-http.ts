/** Bare node:http that sends the events of a topic to all who ask: `node bench/peers/push-http.ts ROUTER_URL REALM TOPIC`. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Wampy } from 'wampy'
import { MsgpackSerializer } from 'wampy/MsgpackSerializer.js'
import { WebSocket } from 'ws'

type Options = NonNullable<ConstructorParameters<typeof Wampy>[1]>

const [url = '', realm = '', topic = ''] = process.argv.slice(2)
const ws = WebSocket as unknown as NonNullable<Options['ws']>
const session = new Wampy(url, { realm, ws, serializer: new MsgpackSerializer() })
await session.connect()

const all = new Set<ServerResponse>()
let number = 0
// what is left out, wampy sends as nil, which a router refuses
const options = { match: 'exact', get_retained: false } as const
await session.subscribe(
  topic,
  ({ argsList }: { argsList?: unknown }) => {
    const data = JSON.stringify((argsList as unknown[])[0])
    const frame = Buffer.from(`id: ${++number}\ndata: ${data}\n\n`)
    for (const response of all) response.write(frame)
  },
  options,
)

const server = createServer((_request, response) => {
  response.writeHead(200, ['content-type', 'text/event-stream', 'cache-control', 'no-store'])
  response.flushHeaders()
  all.add(response)
  response.once('close', () => all.delete(response))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
