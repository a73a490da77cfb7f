/**
 * The official SDK's MCP handler on bare node:http, with one tool that calls through wampy: `node bench/peers/tools-http.ts ROUTER_URL
 * REALM PROCEDURE`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { Wampy } from 'wampy'
import { MsgpackSerializer } from 'wampy/MsgpackSerializer.js'
import { WebSocket } from 'ws'

type Options = NonNullable<ConstructorParameters<typeof Wampy>[1]>

const [url = '', realm = '', procedure = ''] = process.argv.slice(2)
const ws = WebSocket as unknown as NonNullable<Options['ws']>
const session = new Wampy(url, { realm, ws, serializer: new MsgpackSerializer() })
await session.connect()

// made once: a server is made for each request
const inputSchema = fromJsonSchema<{ name: string }>({
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
})

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1' })
  server.registerTool('greet', { description: 'Greets.', inputSchema }, async ({ name }) => {
    const { argsList } = await session.call(procedure, [name])
    const structuredContent = { greeting: (argsList as unknown[])[0] }
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  })
  return server
})
const server = createServer(toNodeHandler(handler))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
