/** Bare node:http that calls through wampy and writes each piece of the result as it comes: `node bench/peers/progress-http.ts ROUTER_URL REALM PROCEDURE`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Wampy } from 'wampy'
import { MsgpackSerializer } from 'wampy/MsgpackSerializer.js'
import { WebSocket } from 'ws'

type Options = NonNullable<ConstructorParameters<typeof Wampy>[1]>
type Piece = { argsList?: unknown }

const [url = '', realm = '', procedure = ''] = process.argv.slice(2)
const ws = WebSocket as unknown as NonNullable<Options['ws']>
const session = new Wampy(url, { realm, ws, serializer: new MsgpackSerializer() })
await session.connect()

const textOf = ({ argsList }: Piece): string => String((argsList as unknown[])[0])

const server = createServer(async (_request, response) => {
  response.writeHead(200, ['content-type', 'text/plain'])
  try {
    const progress_callback = (piece: Piece) => {
      response.write(textOf(piece))
    }
    const result = await session.call(procedure, [], { progress_callback })
    response.end(textOf(result))
  } catch {
    response.destroy()
  }
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
