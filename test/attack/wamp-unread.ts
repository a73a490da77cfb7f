/** Subscribers that do not read what they have asked for. */
import type { RouterPeer } from '#test/contract/router/peer.ts'
import type { Attack } from './attack.ts'
import { ended, pause } from './sockets.ts'
import { join, sent } from './wamp-peers.ts'

export const wampUnread: Attack = {
  name: 'wamp-unread',
  about: '10 subscribers that do not read, 60 MB of events of 60 kB for each',
  async run(target, signal) {
    const publisher = await join(target)
    const subscribers: RouterPeer[] = []
    for (let at = 0; at < 10; at++) {
      const peer = await join(target)
      await peer?.subscribe(`com.example.unread.t${at}`)
      peer?.webSocket.pause()
      if (peer) subscribers.push(peer)
    }
    const text = 'x'.repeat(60_000)
    for (let round = 0; round < 1000 && publisher && !signal.aborted; round++) {
      for (let at = 0; at < 10; at++) {
        publisher.send(16, round * 10 + at + 1, {}, `com.example.unread.t${at}`, [text])
      }
      await sent(publisher, signal)
      if (round % 10 === 0) await pause(10, signal)
    }
    await ended(signal)
    for (const peer of subscribers) peer.cut()
  },
}
