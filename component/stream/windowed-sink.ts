/** Sends a part of what is written to the client of a stream. */
import { Buffer } from 'node:buffer'
import type { Sink } from './sink.ts'

/**
 * A sink that leaves out some bytes at the beginning, and sends a number of those behind.
 * @param sink of the client
 * @param skipped bytes that are left out
 * @param length bytes that are sent; where they do not come, the answer is cut
 * @param isToEnd whether whoever writes ends the answer; if not, it ends with the last byte
 */
export function windowed(sink: Sink, skipped: number, length: number, isToEnd: boolean): Sink {
  let skip = skipped
  let left = length
  let isOver = false
  return {
    write(content) {
      if (isOver) return
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const from = Math.min(skip, bytes.length)
      const part = bytes.subarray(from, from + left)
      skip -= from
      left -= part.length
      if (part.length > 0) sink.write(part)
      const isTooLong = from + part.length < bytes.length
      isOver = isToEnd ? isTooLong : left === 0
      if (!isOver) return
      if (isToEnd) sink.destroy()
      else sink.end()
    },
    get waiting() {
      return sink.waiting
    },
    get handed() {
      return sink.handed
    },
    hold: (bytes) => sink.hold?.(bytes) ?? true,
    end() {
      if (isOver) return
      if (left > 0) sink.destroy()
      else sink.end()
    },
    destroy: () => sink.destroy(),
    onClose: (callback) => sink.onClose(callback),
    onDrain: (callback) => sink.onDrain(callback),
  }
}
