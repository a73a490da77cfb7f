/** The serializers of WAMP messages; 64-bit integers and bytes survive each of them, and the way from one to another. */
import { Buffer } from 'node:buffer'
import { Decoder, Encoder } from '@msgpack/msgpack'
import { Decoder as CborDecoder, Encoder as CborEncoder } from 'cbor-x'
import { parseJson, stringifyJson } from '#component/codec/json.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { narrowInteger, restoreBytes, widen } from '#component/wamp/wire-values.ts'
import { scanCbor, scanMsgpack } from './binary-scan.ts'

/** One serializer. */
export interface Codec {
  readonly isBinary: boolean
  /** @throws when the message holds what the serializer cannot carry */
  encode(message: WampMessage): string | Uint8Array
  /** @throws when the bytes are no message of plain values, or of more than `most` values */
  decode(bytes: Buffer, most?: number): unknown
}

/** Deepest nesting of a message: a document of 64 levels inside CALL and kwargs, with room. */
const maxDepth = 80
/** Most values of one message (reliability F6). */
export const maxValues = 1_000_000

/** Judges what a peer sent: safe integers become numbers, anything but plain data is refused. */
function refine(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw new RangeError('the message is nested too deeply')
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value
    case 'bigint':
      return narrowInteger(value)
    case 'undefined':
      return null
    default:
  }
  if (value === null) return value
  if (value instanceof Uint8Array) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      value[index] = refine(value[index], depth + 1)
    return value
  }
  // dates, sets, regular expressions and the like: extensions of the two libraries, not of WAMP
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new TypeError('the message holds a value that is no plain data')
  }
  const map = value as Record<string, unknown>
  for (const key in map) map[key] = refine(map[key], depth + 1)
  return map
}

/** From this size on an encoded message is kept for one turn of the event loop only, so that it does not stay in memory; bytes. */
const largeBytes = 65_536

/** Encodes a message once, however many peers it goes to in a row; large text becomes bytes, which they all share. */
function once(encode: (message: WampMessage) => string | Uint8Array) {
  let last: WampMessage | undefined
  let encoded: string | Uint8Array = ''
  const forget = () => {
    last = undefined
    encoded = ''
  }
  return (message: WampMessage): string | Uint8Array => {
    if (message === last) return encoded
    last = undefined
    encoded = encode(message)
    last = message
    if (encoded.length < largeBytes) return encoded
    if (typeof encoded === 'string') encoded = Buffer.from(encoded)
    queueMicrotask(forget)
    return encoded
  }
}

const msgpackEncoder = new Encoder({ useBigInt64: true, maxDepth: 2 * maxDepth })
const msgpackDecoder = new Decoder({ useBigInt64: true })
const cborOptions = { useRecords: false, mapsAsObjects: true, tagUint8Array: false }
const cborEncoder = new CborEncoder({ ...cborOptions, encodeUndefinedAsNil: true })
const cborDecoder = new CborDecoder({ ...cborOptions, copyBuffers: true })

/** MessagePack: carries all that messages hold as it is. */
export const msgpackCodec = {
  isBinary: true,
  encode: once((message) => msgpackEncoder.encode(widen(message))),
  decode(bytes: Uint8Array, most = maxValues) {
    scanMsgpack(bytes, most)
    return refine(msgpackDecoder.decode(bytes), 0)
  },
} satisfies Codec

/** WebSocket subprotocol to serializer. */
export const codecs: ReadonlyMap<string, Codec> = new Map([
  [
    'wamp.2.json',
    {
      isBinary: false,
      encode: once((message) => stringifyJson(message)),
      decode(bytes, most = maxValues) {
        const value = parseJson(bytes, { limits: { depth: maxDepth, values: most } })
        return bytes.includes('\\u0000') ? restoreBytes(value) : value
      },
    },
  ],
  ['wamp.2.msgpack', msgpackCodec],
  [
    'wamp.2.cbor',
    {
      isBinary: true,
      encode: once((message) => cborEncoder.encode(widen(message))),
      decode(bytes, most = maxValues) {
        scanCbor(bytes, most)
        return refine(cborDecoder.decode(bytes), 0)
      },
    },
  ],
] satisfies [string, Codec][])
