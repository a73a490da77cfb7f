/** The callee of the WAMP scenario: `node bench/peers/callee.ts ROUTER_URL REALM PROCEDURE`. */
import { Wampy } from 'wampy'
import { MsgpackSerializer } from 'wampy/MsgpackSerializer.js'
import { WebSocket } from 'ws'

type Options = NonNullable<ConstructorParameters<typeof Wampy>[1]>

const [url = '', realm = '', procedure = ''] = process.argv.slice(2)
const ws = WebSocket as unknown as NonNullable<Options['ws']>
const session = new Wampy(url, { realm, ws, serializer: new MsgpackSerializer() })
await session.connect()
await session.register(procedure, ({ argsList }: { argsList?: unknown }) => ({
  argsList: [`Hello, ${(argsList as unknown[])[0]}!`],
}))
process.stdout.write('listening 0\n')
