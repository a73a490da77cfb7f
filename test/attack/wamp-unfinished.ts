/** Messages that are sent but for their last byte. */
import type { Attack } from './attack.ts'
import { ended } from './sockets.ts'
import { isOpen, join, open, sent } from './wamp-peers.ts'

/** Bytes of a message, but for its end. */
const length = 16_000_000
const piece = ' '.repeat(100_000)

/** @param isJoined do the peers say HELLO first? */
const unfinished = (name: string, who: string, isJoined: boolean): Attack => ({
  name,
  about: `40 peers ${who}, each with 16 MB of a message that does not end`,
  async run(target, signal) {
    const attack = async () => {
      const peer = await (isJoined ? join(target) : open(target))
      if (peer === undefined) return
      for (
        let bytes = 0;
        bytes < length && isOpen(peer) && !signal.aborted;
        bytes += piece.length
      ) {
        peer.webSocket.send(piece, { fin: false })
        await sent(peer, signal)
      }
    }
    await Promise.all(Array.from({ length: 40 }, attack))
    await ended(signal)
  },
})

/** By any client. */
export const unfinishedBefore = unfinished('wamp-unfinished', 'before WELCOME', false)

/** By anonymous sessions. */
export const unfinishedJoined = unfinished('wamp-unfinished-joined', 'that have joined', true)
