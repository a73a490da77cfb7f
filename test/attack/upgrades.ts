/** WebSockets to upstreams that flood behind their 101, answer wrongly, or do not answer. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Attack, Target } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const handshake = ({ paths }: Target, kind: string): string =>
  [
    `GET ${paths.sockets}/${kind} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n')

function ask(target: Target, kind: string): Socket {
  const socket = openSocket(target)
  socket.write(handshake(target, kind))
  return socket
}

export const upgradesFlooded: Attack = {
  name: 'upgrades-flooded',
  about: '90 WebSockets that the upstream floods and nobody reads, each opened again after 3 s',
  async run(target, signal) {
    await Promise.all(
      Array.from({ length: 90 }, async () => {
        while (!signal.aborted) {
          const socket = ask(target, 'flood').pause()
          await pause(3000, signal)
          socket.destroy()
        }
      }),
    )
  },
}

/** Handshakes in all. */
const most = 10_000

export const upgradesRefused: Attack = {
  name: 'upgrades-refused',
  about: `${most} handshakes that the upstream does not answer, or answers wrongly, 200 at a time, a request hidden behind each`,
  async run(target, signal, report) {
    let left = most
    const client = async (kind: string): Promise<void> => {
      while (left > 0 && !signal.aborted) {
        left -= 1
        const socket = ask(target, kind)
        socket.write(`GET ${target.paths.static} HTTP/1.1\r\nHost: x\r\n\r\n`)
        let received = ''
        socket.on('data', (bytes: Buffer) => {
          received += bytes.toString('latin1')
        })
        await Promise.race([once(socket, 'close'), pause(1000, signal)]).catch(() => undefined)
        if (received.includes('"name":"attack"'))
          report('a request behind a handshake was answered')
        if (received.startsWith('HTTP/1.1 101')) report('a wrong handshake was accepted')
        socket.destroy()
      }
    }
    const kinds = ['silent', 'wrong'] as const
    await Promise.all(Array.from({ length: 200 }, (_, at) => client(kinds[at % 2] ?? 'silent')))
  },
}
