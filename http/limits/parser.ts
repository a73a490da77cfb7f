/** Gives back the parser of a connection that brings no further request: node:http keeps it for the life of the connection, 10 kB. */
import type { Socket } from 'node:net'

/** The listeners of node:http that use the parser, by event and by the name that they have there. */
const users = [
  ['data', 'bound socketOnData'],
  ['end', 'bound socketOnEnd'],
  ['close', 'bound socketOnClose'],
] as const

type Listener = (...values: unknown[]) => void

const drop = (): void => undefined

function end(this: Socket): void {
  this.end()
}

/**
 * Takes the parser from a connection, as node:http does for an upgrade. Bytes that come after are dropped; the connection still ends
 * when the client ends it.
 * @param socket of a server of node:http; its only request has been read to its end, and its answer closes it
 * @returns whether there was a parser, and node:http listens as it is known to; else nothing has changed
 */
export function releaseParser(socket: Socket): boolean {
  const listeners = users.map(([event, name]) => {
    const found = socket.listeners(event).find((listener) => listener.name === name)
    return [event, found as Listener | undefined] as const
  })
  if (listeners.some(([, listener]) => listener === undefined)) return false
  // the first listener makes the parser let go of the handle
  socket.on('data', drop).on('end', end)
  for (const [event, listener] of listeners) if (listener) socket.off(event, listener)
  // of a connection that is over, node:http frees the parser
  listeners.at(-1)?.[1]?.call(socket)
  return true
}
