/** Requests for the WebSockets of documents: connections that node:http has given up get a response of their own, and are served as others are. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { asksForWebSocket } from '#component/syntax/websocket.ts'
import { hasBody } from './body/request-body.ts'
import { closeSlowly } from './close-slowly.ts'
import { stuckAfter } from './limits/idle-connections.ts'

/**
 * Whether node:http is to give up a connection for a request: what follows is no HTTP then, whatever the answer. A request with a body
 * is none, since that would have to be told from what follows.
 * @param headers lower-case names
 */
export const isHandshake = (
  { method, httpVersion }: Pick<IncomingMessage, 'method' | 'httpVersion'>,
  headers: Readonly<Record<string, string>>,
): boolean =>
  method === 'GET' && httpVersion === '1.1' && asksForWebSocket(headers) && !hasBody(headers)

/**
 * Serves such a request.
 * @param early what has come behind it; a WebSocket gets it, another answer drops it
 * @param serve is given the response of the request
 */
export function serveUpgrade(
  request: IncomingMessage,
  early: Buffer,
  serve: (response: ServerResponse) => void,
): void {
  const { socket } = request
  if (socket.destroyed) return
  if (early.length > 0) socket.unshift(early)
  socket.on('error', onFailed)
  socket.on('readable', onReadable)
  socket.on('end', onGone)
  socket.setTimeout(stuckAfter)
  socket.on('timeout', onStuck)
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  const onDrain = (): boolean => response.emit('drain')
  socket.on('drain', onDrain)
  response.on('finish', () => {
    // an answer that is none: the connection ends, and what the client sends meanwhile is dropped
    socket.off('drain', onDrain)
    release(socket)
    response.detachSocket(socket)
    socket.end()
    closeSlowly(socket)
    response.emit('close')
  })
  serve(response)
}

/** Gives the connection of a response to those who read it from now on. */
export function takeSocket(response: ServerResponse): Socket | null {
  const { socket } = response
  if (socket === null) return null
  release(socket)
  socket.setTimeout(0)
  socket.setNoDelay(true)
  return socket
}

function release(socket: Socket): void {
  socket.off('readable', onReadable).off('end', onGone).off('timeout', onStuck)
}

function onFailed(this: Socket): void {
  this.destroy()
}

/** The end of the client is noticed behind bytes that were read only. */
function onReadable(this: Socket): void {
  if (this.readableLength === 0) this.read()
}

/** The client goes away before it is answered. */
function onGone(this: Socket): void {
  this.destroy()
}

function onStuck(this: Socket): void {
  if (this.writableLength > 0) this.destroy()
  else this.setTimeout(stuckAfter)
}
