/** A body that is compressed while it comes: what has come leaves when nothing more comes for a turn of the event loop. */
import { finished, type Readable, type Transform } from 'node:stream'

/** What compresses a stream, as zlib makes it. */
export type Flushing = Transform & {
  flush(kind: number, callback: () => void): void
  /** That it has compressed. */
  readonly bytesWritten: number
}

/**
 * @param transform compresses; it is destroyed with the body, and the body with it
 * @param flush what makes it pass on all that it has
 * @param onOver called once, when it is over, with the bytes that came and left
 */
export function flushedStream(
  body: Readable,
  transform: Flushing,
  flush: number,
  onOver: (plainBytes: number, bytes: number) => void,
): Readable {
  let hasCome = false
  let isWatching = false
  let hasEnded = false
  let pending = 0
  let bytes = 0
  // an end while something is written makes zstd begin another frame, which not all clients read
  const done = (): void => {
    pending -= 1
    if (hasEnded && pending === 0) transform.end()
  }
  const look = (): void => {
    if (hasCome) {
      // the next turn may bring more
      hasCome = false
      setImmediate(look)
      return
    }
    isWatching = false
    if (hasEnded || transform.destroyed) return
    pending += 1
    transform.flush(flush, done)
  }
  body.on('data', (chunk: Uint8Array) => {
    if (transform.destroyed) return
    pending += 1
    if (!transform.write(chunk, done)) body.pause()
    hasCome = true
    if (isWatching) return
    isWatching = true
    setImmediate(look)
  })
  // what has been gathered of it has paused it
  body.resume()
  finished(body, { writable: false }, (error) => {
    hasEnded = true
    if (error) transform.destroy(error)
    else if (pending === 0) transform.end()
  })
  const push = transform.push.bind(transform)
  transform.push = (chunk: Uint8Array | null) => {
    bytes += chunk?.length ?? 0
    return push(chunk)
  }
  transform.on('drain', () => body.resume())
  transform.once('close', () => {
    body.destroy()
    onOver(transform.bytesWritten, bytes)
  })
  return transform
}
