/** Wildcard patterns by the thousand, and a peer that leaves with them. */
import type { Attack } from './attack.ts'
import { pause } from './sockets.ts'
import { isOpen, join, sent } from './wamp-peers.ts'

const count = 10_000

export const wampPatterns: Attack = {
  name: 'wamp-patterns',
  about: `a session with ${count} wildcard subscriptions and as many registrations leaves, again each 2 s`,
  async run(target, signal) {
    while (!signal.aborted) {
      const peer = await join(target)
      for (let at = 0; at < count && peer && isOpen(peer) && !signal.aborted; at++) {
        peer.send(32, at + 1, { match: 'wildcard' }, `com..a${at}.x${at % 7}`)
        peer.send(64, at + 1, { match: 'wildcard' }, `com..a${at}.x${at % 7}`)
        await sent(peer, signal)
      }
      await pause(1000, signal)
      peer?.cut()
      await pause(1000, signal)
    }
  },
}
