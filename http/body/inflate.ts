/** Bodies that the client has compressed: inflated once they have arrived, few at once, up to a limit. */
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, type ZlibOptions } from 'node:zlib'
import readRaw from 'raw-body'
import { ServiceError } from '#component/errors.ts'
import { countPassed } from '#component/limits/gc-pressure.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { tooLarge } from './body-errors.ts'

/** Content codings that are decoded (RFC 9110 §8.4.1). */
const decoders: Readonly<Record<string, (options: Pieces) => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The options of a decoder. */
type Pieces = Pick<ZlibOptions, 'chunkSize'>

/** From this many bytes on a body is inflated in large pieces. */
const largeBody = 16_384

/**
 * The options for a body of this many compressed bytes. Large pieces take less time than many small ones, and the allocator
 * returns pieces of 1 MiB to the system as soon as they are freed (docs/operations.md, "Stopping").
 */
const piecesOf = (bytes: number): Pieces => (bytes < largeBody ? {} : { chunkSize: 1_048_576 })

/** Compressed bodies are inflated once they have arrived, few at once: what they become takes memory before it is refused. */
const inflating = new Semaphore({
  atOnce: 4,
  waiting: 1000,
  refusal: 'too many compressed bodies wait to be inflated',
})

/** A body decompresses to at most `factor` times its compressed size, or to `floor` bytes. JSON and text usually grow up to 30 times. */
const maxInflation = { factor: 100, floor: 1_000_000 } as const

const tooDense = () =>
  new ServiceError(
    'service.error.payload_too_large',
    `the body decompresses to more than ${maxInflation.factor} times its compressed size`,
  )

/** The limits of an inflated body. */
export interface InflatedLimits {
  /** Counts inflated bytes; returns the error when too many are held. */
  readonly refusal: (bytes: number) => ServiceError | undefined
  readonly body_max_bytes: number
}

/**
 * The function that inflates bodies of a content coding.
 * @param coding lower case
 * @throws ServiceError 415 for a coding that is not read
 */
export function inflaterOf(
  coding: string,
): (sent: Buffer, limits: InflatedLimits) => Promise<Buffer> {
  const makeDecoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (makeDecoder === undefined) {
    const message = 'the content coding is not supported'
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  return (sent, limits) =>
    inflating.run(() => inflate(makeDecoder(piecesOf(sent.length)), sent, limits))
}

async function inflate(
  decoder: NodeJS.ReadWriteStream & Readable,
  sent: Buffer,
  { refusal, body_max_bytes }: InflatedLimits,
): Promise<Buffer> {
  const most = Math.max(maxInflation.floor, maxInflation.factor * sent.length)
  let size = 0
  decoder.on('data', (chunk: Buffer) => {
    size += chunk.length
    const problem = size > most ? tooDense() : refusal(chunk.length)
    if (problem) decoder.destroy(problem)
  })
  decoder.end(sent)
  try {
    return await readRaw(decoder, { limit: body_max_bytes })
  } catch (cause) {
    decoder.destroy()
    if (cause instanceof ServiceError) throw cause
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') {
      throw tooLarge()
    }
    const message = 'the body does not match its Content-Encoding'
    throw new ServiceError('service.error.bad_request', message, { cause })
  } finally {
    // the pieces are garbage: they were put together, or there were too many
    countPassed(size)
  }
}
