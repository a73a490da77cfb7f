/** RawSocket clients that misbehave: floods of PING, frames that do not end, handshakes that come byte by byte. */
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Attack, turnOfFlood } from './attack.ts'
import { pause } from './sockets.ts'

/** Where the router listens; a file that is left of an earlier attack is replaced. */
const path = join(tmpdir(), 'wamp-gateway-attack.sock')

const handshake = Buffer.of(0x7f, 0xf1, 0, 0)

/** Empty frames of PING, 64 KiB. */
const pings = Buffer.alloc(65_536)
for (let at = 0; at < pings.length; at += 4) pings[at] = 1

const hello = (realm: string): Buffer => {
  const message = Buffer.from(JSON.stringify([1, realm, { roles: { caller: {} } }]))
  return Buffer.concat([Buffer.of(0, 0, 0, message.length), message])
}

/** What each kind of client sends, again and again, in its turn of 20 ms. */
const kinds: readonly ((socket: Socket, realm: string, turn: number) => void)[] = [
  (socket, realm, turn) => {
    if (turn === 0) socket.write(Buffer.concat([handshake, hello(realm)]))
    else if (socket.writableLength < 1_000_000) socket.write(pings)
  },
  (socket, realm, turn) => {
    if (turn === 0) socket.write(Buffer.concat([handshake, hello(realm), Buffer.of(0, 200, 0, 0)]))
    else socket.write('[')
  },
  (socket, _realm, turn) => {
    if (turn % 50 === 0) socket.write(handshake.subarray((turn / 50) % 4, ((turn / 50) % 4) + 1))
  },
]

export const rawSockets: Attack = {
  name: 'rawsocket',
  about:
    '60 RawSocket clients: 20 send PINGs without end, 20 a frame byte by byte, 20 a handshake byte by byte; closed ones come again',
  settings: { 'router.rawsocket': `unix:${path}` },
  maxTurn: turnOfFlood,
  async run({ realm }, signal) {
    const client = async (index: number) => {
      const send = kinds[index % kinds.length]
      while (!signal.aborted) {
        const socket = connect(path).resume()
        socket.on('error', () => undefined)
        for (let turn = 0; !socket.destroyed && !signal.aborted; turn++) {
          send?.(socket, realm, turn)
          await pause(20, signal)
        }
        await pause(20, signal)
      }
    }
    await Promise.all(Array.from({ length: 60 }, (_, index) => client(index)))
  },
}
