/** Events that the router is to keep for later subscribers. */
import type { Attack } from './attack.ts'
import { ended } from './sockets.ts'
import { join } from './wamp-peers.ts'

export const wampRetained: Attack = {
  name: 'wamp-retained',
  about: '40 events of 15 MB that are to be retained',
  async run(target, signal) {
    const text = 'x'.repeat(15_000_000)
    const peer = await join(target)
    for (let at = 0; at < 40 && peer && !signal.aborted; at++) {
      const options = { retain: true, acknowledge: true }
      await Promise.race([
        peer.ask(16, at + 1, options, `com.example.retained.t${at}`, [text]),
        peer.closed,
        ended(signal),
      ])
    }
    await ended(signal)
  },
}
