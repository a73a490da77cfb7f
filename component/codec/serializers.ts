/** The three serializers of WAMP, for both ends of a connection: 64-bit integers stay exact, bytes stay bytes. */
import { Buffer } from 'node:buffer'
import { messageOf } from '#component/errors.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { decodeCbor, decodingCbor, encodeCbor, headingCbor } from './cbor.ts'
import { headingJson, parseJson, parsingJson, stringifyJson } from './json.ts'
import { type ReadRules, stepLength } from './limits.ts'
import { decodeMsgpack, decodingMsgpack, encodeMsgpack, headingMsgpack } from './msgpack.ts'
import { toBinary } from './walk.ts'

/** How messages become bytes. */
export interface Serializer {
  /** The name that configuration and subprotocol use. */
  readonly name: 'cbor' | 'json' | 'msgpack'
  /** The WebSocket subprotocol that asks for it. */
  readonly protocol: string
  readonly isBinary: boolean
  /**
   * @param hasSpecials false when a walk by the rules of the binary forms has found nothing special in the message
   * @throws when the message holds what the serializer cannot carry
   */
  encode(message: readonly unknown[], hasSpecials?: boolean): string | Uint8Array
  /** @throws ServiceError when the bytes are not a message of plain values within the rules */
  decode(bytes: Uint8Array, rules: ReadRules): unknown
  /** {@link decode} in steps of about this many bytes. */
  decoding(bytes: Uint8Array, rules: ReadRules, step: number): Steps<unknown>
  /** The first fields of a message that cannot be decoded, up to the one that cannot, in such steps. */
  heading(bytes: Uint8Array, rules: ReadRules, step: number): Steps<readonly unknown[]>
}

/** By the name that configuration and subprotocol use. */
export const serializers = {
  json: {
    name: 'json',
    protocol: 'wamp.2.json',
    isBinary: false,
    encode: (message) => stringifyJson(message),
    decode: parseJson,
    decoding: parsingJson,
    heading: headingJson,
  },
  msgpack: {
    name: 'msgpack',
    protocol: 'wamp.2.msgpack',
    isBinary: true,
    encode: (message, hasSpecials = true) =>
      encodeMsgpack(hasSpecials ? toBinary(message) : message),
    decode: decodeMsgpack,
    decoding: decodingMsgpack,
    heading: headingMsgpack,
  },
  cbor: {
    name: 'cbor',
    protocol: 'wamp.2.cbor',
    isBinary: true,
    encode: (message, hasSpecials = true) => encodeCbor(hasSpecials ? toBinary(message) : message),
    decode: decodeCbor,
    decoding: decodingCbor,
    heading: headingCbor,
  },
} as const satisfies Record<string, Serializer>

/** The name of a serializer. */
export type SerializerName = keyof typeof serializers

/** What a peer has sent. */
export interface Received {
  /** The message; only its first fields where there is a problem. */
  readonly fields: unknown
  /** Why the fields behind them cannot be read. */
  readonly problem?: string
}

/** The greatest id (WAMP: IDs); as an integer beyond 2^53 - 1 it is read as BigInt. */
const greatestId = 2n ** 53n

/** The ids of a message are among its first fields. */
function withNumberIds(fields: unknown): unknown {
  if (!Array.isArray(fields)) return fields
  for (let at = 1; at <= 3; at++) if (fields[at] === greatestId) fields[at] = Number(greatestId)
  return fields
}

/** Reads a message as far as it can be read; its ids are numbers. */
export function readMessage(serializer: Serializer, bytes: Uint8Array, rules: ReadRules): Received {
  try {
    return { fields: withNumberIds(serializer.decode(bytes, rules)) }
  } catch (error) {
    return runAtOnce(readingHead(serializer, bytes, rules, error))
  }
}

/** {@link readMessage} in steps: for long messages. */
export function* readingMessage(
  serializer: Serializer,
  bytes: Uint8Array,
  rules: ReadRules,
): Steps<Received> {
  try {
    return { fields: withNumberIds(yield* serializer.decoding(bytes, rules, stepLength)) }
  } catch (error) {
    return yield* readingHead(serializer, bytes, rules, error)
  }
}

/** @param error why it cannot be read as a whole */
function* readingHead(
  serializer: Serializer,
  bytes: Uint8Array,
  rules: ReadRules,
  error: unknown,
): Steps<Received> {
  const head = yield* serializer.heading(bytes, rules, stepLength)
  return { fields: withNumberIds([...head]), problem: messageOf(error) }
}

/** From this size on an encoded message is kept for one turn of the event loop only, so that it does not stay in memory; bytes. */
const largeBytes = 65_536

/** A serializer that encodes a message once for all peers that it goes to in a row; large text becomes bytes, which they share. */
export function encodeOnce(serializer: Serializer): Serializer {
  let last: readonly unknown[] | undefined
  let encoded: string | Uint8Array = ''
  const forget = () => {
    last = undefined
    encoded = ''
  }
  const encode = (message: readonly unknown[]) => {
    if (message === last) return encoded
    last = undefined
    encoded = serializer.encode(message)
    last = message
    if (encoded.length < largeBytes) return encoded
    if (typeof encoded === 'string') encoded = Buffer.from(encoded)
    queueMicrotask(forget)
    return encoded
  }
  return { ...serializer, encode }
}
