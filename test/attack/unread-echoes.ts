/** Large answers that are asked for and not read. */
import type { Attack } from './attack.ts'
import { ended, openSocket } from './sockets.ts'

const connections = 60

/** Bytes of a body that is echoed. */
const size = 8_000_000

export const unreadEchoes: Attack = {
  name: 'unread-echoes',
  about: `${connections} connections that have 8 MB echoed or forwarded, and read none of it`,
  async run(target, signal) {
    const body = Buffer.from(JSON.stringify('a'.repeat(size)))
    const head = `POST ${target.paths.echo} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const echo = Buffer.concat([Buffer.from(head), body])
    const large = `GET ${target.paths.large} HTTP/1.1\r\nHost: x\r\n\r\n`
    for (let count = 0; count < connections; count++) {
      // one in three forwards: that answer streams
      openSocket(target)
        .pause()
        .write(count % 3 === 0 ? large : echo)
    }
    await ended(signal)
  },
}
