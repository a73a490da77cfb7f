/** Bare node:http that streams the progressive results of a call through wampy: `node bench/peers/pieces-http.ts ROUTER_URL REALM PROCEDURE`. */
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

const textOf = (argsList: unknown): string => JSON.stringify((argsList as unknown[])[0])

const server = createServer(async (_request, response) => {
  let number = 0
  response.writeHead(200, ['content-type', 'text/event-stream', 'cache-control', 'no-store'])
  const { argsList } = await session.call(procedure, [], {
    progress_callback: (piece: { argsList?: unknown }) => {
      response.write(`id: ${++number}\ndata: ${textOf(piece.argsList)}\n\n`)
    },
  } as Parameters<typeof session.call>[2])
  response.end(`id: ${++number}\nevent: result\ndata: ${textOf(argsList)}\n\n`)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
