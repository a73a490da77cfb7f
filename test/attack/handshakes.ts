/** Clients that wait until all of them are connected, then begin their handshakes of TLS at once, and leave in the middle of them. */
import { once } from 'node:events'
import { helloOf } from '#test/support/tls/hello.ts'
import { type Attack, turnOfOne } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const connections = 2_000

export const handshakes: Attack = {
  name: 'tls-hellos',
  about: '2,000 connections whose handshakes begin at once, and do not end',
  isSecure: true,
  maxTurn: turnOfOne,
  async run(target, signal) {
    const hello = await helloOf({ requestOCSP: true, ALPNProtocols: ['h2'] })
    while (!signal.aborted) {
      const sockets = Array.from({ length: connections }, () => openSocket(target))
      const connected = Promise.allSettled(sockets.map((socket) => once(socket, 'connect')))
      await Promise.race([connected, pause(5_000, signal)])
      // those that the kernel has connected wait for the gateway to accept them
      await pause(2_000, signal)
      if (signal.aborted) return
      for (const socket of sockets) socket.resume().write(hello)
      await pause(1_000, signal)
      for (const socket of sockets) socket.end()
      await pause(200, signal)
      for (const socket of sockets) socket.destroy()
    }
  },
}
