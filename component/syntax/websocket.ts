/** The WebSocket protocol as far as a gateway between two peers reads it: opening handshakes, the lengths of frames, Close frames (RFC 6455). */
import { createHash } from 'node:crypto'
import { isToken } from './http-field.ts'

/** What a client offers in its opening handshake, unchecked. */
export interface Handshake {
  readonly version: string
  /** `""` without one. */
  readonly key: string
  /** The subprotocols, in the order of the client. */
  readonly protocols: readonly string[]
  /** `Sec-WebSocket-Extensions`, as it came. */
  readonly extensions: string | undefined
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** The only version of the protocol (RFC 6455 §4.1). */
export const websocketVersion = '13'

/** 16 bytes in base64 (RFC 6455 §4.1). */
const keyForm = /^[A-Za-z0-9+/]{22}==$/

const listIn = (text: string | undefined): readonly string[] =>
  text === undefined
    ? []
    : text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')

/** The names of extensions, without their parameters; a value in quotes has no comma either (RFC 6455 §9.1). */
const extensionsIn = (text: string | undefined): readonly string[] =>
  listIn(text).map((item) => item.split(';', 1).join().trim().toLowerCase())

/** Whether a request without a body asks for a WebSocket; every other upgrade is ignored (RFC 9110 §7.8). @param headers lower-case names */
export const asksForWebSocket = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  listIn(headers.connection?.toLowerCase()).includes('upgrade')

/** What such a request offers. @param headers lower-case names */
export const readHandshake = (headers: Readonly<Record<string, string>>): Handshake => ({
  version: headers['sec-websocket-version'] ?? '',
  key: headers['sec-websocket-key'] ?? '',
  protocols: listIn(headers['sec-websocket-protocol']),
  extensions: headers['sec-websocket-extensions'],
})

/** Whether a client may send the key. */
export const isWebSocketKey = (key: string): boolean => keyForm.test(key)

/** Why a client may not offer the subprotocols; undefined where it may: tokens, each of them once (RFC 6455 §4.1). */
export function protocolsProblem(protocols: readonly string[]): string | undefined {
  if (!protocols.every(isToken)) return 'a subprotocol is no token'
  return new Set(protocols).size < protocols.length ? 'a subprotocol is offered twice' : undefined
}

/** The answer to a key (RFC 6455 §4.2.2). */
export const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/**
 * Why a 101 opens no WebSocket (RFC 6455 §4.1); undefined where it does.
 * @param headers of the answer, lower-case names; a list where a field repeats
 * @param offered in the handshake that it answers
 */
export function switchProblem(
  headers: Fields,
  { key, protocols, extensions }: Pick<Handshake, 'key' | 'protocols' | 'extensions'>,
): string | undefined {
  const { upgrade } = headers
  if (typeof upgrade !== 'string' || upgrade.toLowerCase() !== 'websocket') {
    return 'switched to another protocol'
  }
  if (headers['sec-websocket-accept'] !== acceptOf(key)) return 'sent a wrong Sec-WebSocket-Accept'
  const protocol = headers['sec-websocket-protocol']
  const isOffered =
    protocol === undefined || (typeof protocol === 'string' && protocols.includes(protocol))
  if (!isOffered) return 'chose a subprotocol that was not offered'
  const offered = extensionsIn(extensions)
  const chosen = extensionsIn([headers['sec-websocket-extensions'] ?? []].flat().join(','))
  const isKnown = chosen.every((name) => offered.includes(name))
  return isKnown ? undefined : 'chose an extension that was not offered'
}

/** Bytes of the longest head of a frame (RFC 6455 §5.2). */
const longestHead = 14

/** Follows the frames of one peer, of which it reads the lengths alone. */
export class FrameLengths {
  readonly #head = Buffer.alloc(longestHead)
  #headBytes = 0
  /** Bytes of the payload that are still to come. */
  #left = 0

  /** Whether the bytes so far end with a whole frame. */
  get isBetween(): boolean {
    return this.#headBytes === 0 && this.#left === 0
  }

  /**
   * Reads on.
   * @param toEndOfFrame whether it stops behind the first frame that ends
   * @returns how many of the bytes were read
   */
  read(bytes: Uint8Array, toEndOfFrame = false): number {
    let at = 0
    while (at < bytes.length) {
      if (this.#left > 0) {
        const part = Math.min(this.#left, bytes.length - at)
        this.#left -= part
        at += part
      } else {
        this.#head[this.#headBytes] = bytes[at] as number
        this.#headBytes += 1
        at += 1
        this.#readHead()
      }
      if (toEndOfFrame && this.isBetween) return at
    }
    return at
  }

  /** Begins the payload once the head is whole. */
  #readHead(): void {
    const head = this.#head
    if (this.#headBytes < 2) return
    const second = head[1] as number
    const length = second & 0x7f
    const more = length === 127 ? 8 : length === 126 ? 2 : 0
    const mask = second & 0x80 ? 4 : 0
    if (this.#headBytes < 2 + more + mask) return
    this.#headBytes = 0
    if (more === 0) this.#left = length
    else if (more === 2) this.#left = head.readUInt16BE(2)
    else this.#left = head.readUInt32BE(2) * 2 ** 32 + head.readUInt32BE(6)
  }
}

/** A Close frame of a server. @param reason at most 123 bytes */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason)
  const frame = Buffer.alloc(4 + text.length)
  frame.writeUInt16BE(0x8800 | (2 + text.length), 0)
  frame.writeUInt16BE(code, 2)
  text.copy(frame, 4)
  return frame
}
