/** The answers of a turn of the event loop are written together, at its end. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { watchUnread } from '#http/limits/idle-connections.ts'

/** An answer whose head has been made; its content ends it. */
interface QueuedAnswer {
  readonly response: Pick<ServerResponse, 'end' | 'destroy'>
  readonly content: string | Uint8Array | undefined
  readonly encoding: BufferEncoding
  /** The connection, where its client has a time limit to take the response; absent: it has none. */
  readonly socket?: Socket | undefined
}

let queue: QueuedAnswer[] = []

/**
 * Writes an answer at the end of the turn, behind the earlier ones: a client that the first answer wakes finds the others, too
 * (docs/design/performance.md, "What was tried").
 */
export function enqueue(answer: QueuedAnswer): void {
  if (queue.length === 0) setImmediate(flush)
  queue.push(answer)
}

/** Writes all queued answers now: before something else happens to their sockets. */
export function flush(): void {
  const all = queue
  queue = []
  for (const { response, content, encoding, socket } of all) {
    try {
      response.end(content, encoding)
      watchUnread(socket)
    } catch {
      // a failure of one answer must not keep the others back
      response.destroy()
    }
  }
}
