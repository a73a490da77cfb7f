/** HTTP/2 written frame by frame, for clients that do what no library does (RFC 9113 §4, §6; RFC 7541 §6.2). */
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'

/** Types of frames. */
export const frameTypes = {
  ...{ data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, goaway: 7 },
  ...{ windowUpdate: 8, continuation: 9 },
} as const

/** Flags of frames. */
export const flags = { ack: 1, endStream: 1, endHeaders: 4 } as const

/** A frame as it was received. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** The bytes of a frame. */
export function frame(type: number, flag: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flag, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A number of four bytes as a payload. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A header block whose fields stand for themselves: literal, without Huffman coding, never indexed. Names and values are short. */
export const block = (fields: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([name, value]) => [
      Buffer.from([0x10, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  )

/** The fields of a GET. */
export const get = (path: string, host = 'localhost'): Buffer =>
  block([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', host],
    [':path', path],
  ])

/** A connection on which frames are written as they are. */
export class RawHttp2 {
  readonly socket: TLSSocket
  /** All frames that have come. */
  readonly frames: Frame[] = []
  #rest = Buffer.alloc(0)

  constructor(socket: TLSSocket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 9) {
      const end = 9 + this.#rest.readUIntBE(0, 3)
      if (this.#rest.length < end) return
      this.frames.push({
        type: this.#rest.readUInt8(3),
        flags: this.#rest.readUInt8(4),
        stream: this.#rest.readUInt32BE(5) & 0x7fff_ffff,
        payload: this.#rest.subarray(9, end),
      })
      this.#rest = this.#rest.subarray(end)
    }
  }

  write(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames))
  }

  /** The code of the GOAWAY that has come last; undefined: none. */
  get goaway(): number | undefined {
    const found = this.frames.findLast(({ type }) => type === frameTypes.goaway)
    return found?.payload.readUInt32BE(4)
  }

  /** The codes of the streams that were reset. */
  get resets(): number[] {
    const found = this.frames.filter(({ type }) => type === frameTypes.reset)
    return found.map(({ payload }) => payload.readUInt32BE(0))
  }

  /** Waits until the connection is closed. */
  async closed(): Promise<void> {
    while (!this.socket.destroyed) await this.#next()
  }

  /** Waits until a frame has come that fits. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found) return found
      if (this.socket.destroyed) throw new Error('the connection is closed')
      await this.#next()
    }
  }

  /** Waits until more has come, or the connection is closed. */
  #next(): Promise<void> {
    return new Promise((resolve) => {
      const next = () => {
        this.socket.off('data', next).off('close', next)
        resolve()
      }
      this.socket.on('data', next).on('close', next)
    })
  }
}

/** Opens a connection with `h2` by ALPN. @param begins whether it writes the preface and empty SETTINGS */
export async function openHttp2(
  { host, port }: { readonly host: string; readonly port: number },
  { begins = true, settings = Buffer.alloc(0) as Uint8Array, localAddress = '127.0.0.1' } = {},
): Promise<RawHttp2> {
  const socket = connect({
    ...{ host, port, localAddress, servername: 'localhost', rejectUnauthorized: false },
    ALPNProtocols: ['h2'],
  })
  const raw = new RawHttp2(socket)
  await once(socket, 'secureConnect')
  if (begins) raw.write(Buffer.from(preface), frame(frameTypes.settings, 0, 0, settings))
  return raw
}
