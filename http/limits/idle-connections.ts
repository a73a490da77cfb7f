/** Connections of HTTP/1.1 on which nothing happens: kept for a next request, or with a response that the client does not take. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { pipelineOf } from './pipeline.ts'

/** A client that takes nothing of its response for so long is gone; milliseconds. */
export const stuckAfter = 120_000

/**
 * Begins the time of a client that has not taken all of a response. Most have when it is written: their connections have no timer, which
 * each read and each write would set again.
 * @param socket undefined: the client has no time limit
 */
export function watchUnread(socket: Socket | undefined): void {
  if (socket !== undefined && socket.writableLength > 0) socket.setTimeout(stuckAfter)
}

/**
 * Closes connections whose time is over: that of {@link stuckAfter}, or the one that node:http gives a connection whose last response is
 * taken (`keepAliveTimeout`). A client waits for its response as long as that takes.
 */
export function closeIdle(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const isWaiting = socket.writableLength === 0 && pipelineOf(socket)?.isAwaited === true
    if (isWaiting) socket.setTimeout(stuckAfter)
    else socket.destroy()
  })
}
