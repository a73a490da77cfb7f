/** Requests that are none, as fast as they are refused. */
import type { Attack, Target } from './attack.ts'
import { ended, openSocket } from './sockets.ts'

const connections = 100

/** What the parser refuses, and what is refused after it. */
const requests = [
  'nonsense\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
]

function attempt(target: Target, signal: AbortSignal, count: number): void {
  if (signal.aborted) return
  const socket = openSocket(target)
  socket.resume().end(requests[count % requests.length] ?? '')
  socket.once('close', () => attempt(target, signal, count + 1))
}

export const malformed: Attack = {
  name: 'malformed',
  about: `malformed requests on ${connections} connections, again as soon as they are refused`,
  async run(target, signal) {
    for (let count = 0; count < connections; count++) attempt(target, signal, count)
    await ended(signal)
  },
}
