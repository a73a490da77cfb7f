/** The content codings of answers (RFC 9110 §8.4.1, RFC 7932, RFC 8878): whole bodies in the loop or in the threads of zlib, and bodies that come in pieces. */
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Flushing } from './flushed-stream.ts'

/** All codings, in the order of preference. */
export const codingNames = ['zstd', 'br', 'gzip'] as const
export type CodingName = (typeof codingNames)[number]

/** How small a body becomes: `fast` for one that is sent once, `small` for one that is kept. */
export const levels = ['fast', 'small'] as const
export type Level = (typeof levels)[number]

/** A window has at most 64 KiB: what compresses a stream, and what reads it, holds one. */
const windowBits = 16

/** One coding. */
interface Coding {
  /** Compresses in the loop. */
  now(content: string | Uint8Array, level: Level): Uint8Array
  /** Compresses in a thread of zlib. */
  later(content: string | Uint8Array, level: Level): Promise<Uint8Array>
  stream(level: Level): Flushing
  /** Ends what a reader must have to read all that has been written. */
  readonly flush: number
  /** What a stream of it holds, measured; bytes. */
  readonly held: Readonly<Record<Level, number>>
  decode(content: Uint8Array): Uint8Array
}

const {
  BROTLI_OPERATION_FLUSH,
  BROTLI_PARAM_LGWIN: window,
  BROTLI_PARAM_QUALITY: quality,
  ZSTD_c_chainLog: zstdChain,
  ZSTD_c_compressionLevel: zstdLevel,
  ZSTD_c_hashLog: zstdHash,
  ZSTD_c_windowLog: zstdWindow,
  ZSTD_e_flush,
  Z_SYNC_FLUSH,
} = zlib.constants

/** Level to what the library calls it. */
const qualities: Readonly<Record<CodingName, Readonly<Record<Level, number>>>> = {
  zstd: { fast: 1, small: 6 },
  br: { fast: 1, small: 5 },
  gzip: { fast: 1, small: 6 },
}

/** Small windows are made sooner: one that holds the whole body loses nothing. */
function gzipOptions(content: string | Uint8Array, level: Level): zlib.ZlibOptions {
  const bits = Math.min(Math.max(Math.ceil(Math.log2(content.length)), 10), 15)
  return { level: qualities.gzip[level], windowBits: bits, memLevel: bits - 7 }
}

/**
 * Codes a body in the loop, into one piece of the size of the body: it fits in all but odd cases. The library's object for
 * it lives until V8's next full collection, and each 64 MB of pieces would start one, which marks the whole heap. So the
 * object keeps no piece: its memory is transferred.
 */
function inLoop<O>(
  code: (content: string | Uint8Array, options: O & { chunkSize: number }) => Buffer<ArrayBuffer>,
  content: string | Uint8Array,
  options: O,
): Uint8Array {
  const chunkSize = Math.max(content.length, 64)
  const coded = code(content, { ...options, chunkSize })
  // others are part of a pool, or joined from pieces
  const isOwnPiece = coded.buffer.byteLength === chunkSize
  if (!isOwnPiece) return coded
  return Buffer.from(coded.buffer.transfer(coded.length))
}

const ofLevel = (params: (level: Level) => Record<number, number>) => ({
  fast: { params: params('fast') },
  small: { params: params('small') },
})
const brotli = ofLevel((level) => ({ [quality]: qualities.br[level], [window]: windowBits }))

const zstd = ofLevel((level) => ({
  [zstdLevel]: qualities.zstd[level],
  [zstdWindow]: windowBits,
  // by default the tables of level 6 are for larger windows: 2.7 MB
  ...(level === 'small' && { [zstdHash]: windowBits, [zstdChain]: windowBits }),
}))

const gzipLater = promisify<string | Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip)
const brotliLater = promisify<string | Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const zstdLater = promisify<string | Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)

/** Each of them. */
export const codings: Readonly<Record<CodingName, Coding>> = {
  zstd: {
    now: (content, level) => inLoop(zlib.zstdCompressSync, content, zstd[level]),
    later: (content, level) => zstdLater(content, zstd[level]),
    stream: (level) => zlib.createZstdCompress(zstd[level]),
    flush: ZSTD_e_flush,
    held: { fast: 262_144, small: 524_288 },
    decode: (content) => zlib.zstdDecompressSync(content),
  },
  br: {
    now: (content, level) => inLoop(zlib.brotliCompressSync, content, brotli[level]),
    later: (content, level) => brotliLater(content, brotli[level]),
    stream: (level) => zlib.createBrotliCompress(brotli[level]),
    flush: BROTLI_OPERATION_FLUSH,
    held: { fast: 327_680, small: 524_288 },
    decode: (content) => zlib.brotliDecompressSync(content),
  },
  gzip: {
    now: (content, level) => inLoop(zlib.gzipSync, content, gzipOptions(content, level)),
    later: (content, level) => gzipLater(content, gzipOptions(content, level)),
    stream: (level) => zlib.createGzip({ level: qualities.gzip[level] }),
    flush: Z_SYNC_FLUSH,
    held: { fast: 262_144, small: 262_144 },
    decode: (content) => zlib.gunzipSync(content),
  },
}

/** A body without its coding; as it is where that is no coding of this table, or not its coding. */
export function decoded<C extends string | Uint8Array>(
  content: C,
  coding: unknown,
): C | Uint8Array {
  const name = codingNames.find((known) => known === coding)
  if (name === undefined || typeof content === 'string') return content
  try {
    return codings[name].decode(content)
  } catch {
    return content
  }
}
