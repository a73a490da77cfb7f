/** Connections that send one request, wait for its answer, and begin anew. */
import { once } from 'node:events'
import { type Attack, type Target, turnOfOne } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

/** A POST as bytes. */
export function postOf(path: string, body: Buffer, headers: readonly string[] = []): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
    ...headers,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** Sends requests over so many connections, again and again. */
export const posted = (
  name: string,
  connections: number,
  what: string,
  requestOf: (target: Target) => Buffer,
): Attack => ({
  name,
  maxTurn: turnOfOne,
  about: `${connections} connections, each again and again ${what}`,
  async run(target, signal) {
    const request = requestOf(target)
    const client = async () => {
      while (!signal.aborted) {
        const socket = openSocket(target)
        socket.write(request)
        await Promise.race([
          once(socket, 'data'),
          once(socket, 'close'),
          pause(30_000, signal),
        ]).catch(() => undefined)
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: connections }, client))
  },
})
