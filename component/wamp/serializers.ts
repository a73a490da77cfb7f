/** The three serializers of WAMP: every 64-bit integer stays exact, bytes stay bytes. */
import { Buffer } from 'node:buffer'
import { Decoder as MsgpackDecoder, Encoder as MsgpackEncoder } from '@msgpack/msgpack'
import { Decoder as CborDecoder, Encoder as CborEncoder } from 'cbor-x'
import { parseJson, stringifyJson } from '#component/codec/json.ts'
import type { WampMessage } from './link.ts'
import { narrowInteger, restoreBytes, widen } from './wire-values.ts'

/** How messages become bytes. */
export interface Serializer {
  /** The WebSocket subprotocol that asks for it. */
  readonly protocol: string
  readonly isBinary: boolean
  /** @param isWide the message holds integers of more than 32 bits, BigInt or undefined */
  encode(message: WampMessage, isWide: boolean): string | Uint8Array
  /** @throws when the bytes are no message */
  decode(data: Uint8Array): unknown
}

/** Deeper than anything we send: JSON and msgpack stop here, cbor at the end of the stack. */
const maxDepth = 500
/** A router is not a stranger: its limits on messages hold, not those on bodies. */
const received = {
  limits: { depth: maxDepth, values: 10_000_000 },
  allowLoneSurrogates: true,
  allowProtoKeys: true,
}

/** BigInt where a double holds the integer as well becomes a number again; in place. */
function narrow(value: unknown): unknown {
  if (typeof value === 'bigint') return narrowInteger(value)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = narrow(value[index])
    return value
  }
  const map = value as Record<string, unknown>
  for (const key of Object.keys(map)) map[key] = narrow(map[key])
  return map
}

const msgpackEncoder = new MsgpackEncoder({ useBigInt64: true, maxDepth })
const msgpackDecoder = new MsgpackDecoder({ useBigInt64: true })
const cborOptions = { useRecords: false, mapsAsObjects: true, tagUint8Array: false }
const cborEncoder = new CborEncoder(cborOptions)
const cborDecoder = new CborDecoder(cborOptions)

/** First bytes of 64-bit integers; where there are none, nothing needs to be narrowed. */
const msgpackWide = [0xcf, 0xd3]
const cborWide = [0x1b, 0x3b, 0xc2, 0xc3]

const holdsAny = (data: Uint8Array, bytes: readonly number[]) =>
  bytes.some((byte) => data.includes(byte))

/** By the name that configuration and subprotocol use. */
export const serializers = {
  json: {
    protocol: 'wamp.2.json',
    isBinary: false,
    encode: (message) => stringifyJson(message),
    decode(data) {
      const message = parseJson(data, received)
      const hasNul = Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes('"\\u0000')
      return hasNul ? restoreBytes(message) : message
    },
  },
  msgpack: {
    protocol: 'wamp.2.msgpack',
    isBinary: true,
    encode: (message, isWide) => msgpackEncoder.encode(isWide ? widen(message) : message),
    decode(data) {
      const message = msgpackDecoder.decode(data)
      return holdsAny(data, msgpackWide) ? narrow(message) : message
    },
  },
  cbor: {
    protocol: 'wamp.2.cbor',
    isBinary: true,
    encode: (message, isWide) => cborEncoder.encode(isWide ? widen(message) : message),
    decode(data) {
      const message: unknown = cborDecoder.decode(data)
      return holdsAny(data, cborWide) ? narrow(message) : message
    },
  },
} as const satisfies Record<string, Serializer>

/** The name of a serializer. */
export type SerializerName = keyof typeof serializers
