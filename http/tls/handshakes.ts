/** The connections of TLS servers until their handshakes have ended: none begins before its client has sent something, and `HandshakeTurns` says when. */
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '#component/clock.ts'
import { networkOf, plainAddress } from '#component/syntax/ip-address.ts'
import './closed-handshakes.ts'
import { type Handshake, HandshakeTurns } from './handshake-turns.ts'

/** Of all servers of a process. */
export class Handshakes {
  readonly #turns: HandshakeTurns
  /** Those that wait or are under way, by the ends of their connections. */
  readonly #open = new Map<string, Handshake>()

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.#turns = new HandshakeTurns(clock, setImmediate)
  }

  /**
   * Holds back what a server does with its connections.
   * @param timeout how long a connection may wait for its handshake to begin; milliseconds
   * @param isExempt addresses that stand for many clients: trusted proxies
   */
  pace(server: Server, timeout: number, isExempt: (address: string) => boolean): void {
    const begin = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      const address = plainAddress(socket.remoteAddress ?? '')
      const key = endsOf(socket)
      const handshake: Handshake = {
        network: networkOf(address),
        isExempt: address === '' || isExempt(address),
        begin: () => {
          socket.setTimeout(0).off('timeout', cut)
          for (const listener of begin) listener.call(server, socket)
        },
        cut: () => socket.destroy(),
      }
      const cut = () => handshake.cut()
      this.#open.set(key, handshake)
      socket.on('error', cut)
      socket.on('close', () => {
        if (this.#open.get(key) === handshake) this.#open.delete(key)
        this.#turns.over(handshake)
      })
      socket.setTimeout(timeout).on('timeout', cut)
      socket.once('readable', () => {
        if (socket.readableLength > 0) this.#turns.add(handshake)
        else cut()
      })
    })
  }

  /** Takes note that a handshake has ended. @param next what is done with the connection, in its turn; absent: it was done */
  end(socket: TLSSocket, next?: () => void): void {
    const key = endsOf(socket)
    const handshake = this.#open.get(key)
    this.#open.delete(key)
    if (handshake) this.#turns.over(handshake)
    if (next) this.#turns.follow(handshake?.network ?? '', next)
  }

  /** Closes the connections of all that have not ended. */
  close(): void {
    this.#turns.close()
    for (const handshake of this.#open.values()) handshake.cut()
  }
}

/** Both ends of a connection, which its socket of TLS has in common with that below: no other one that is open has them. */
export const endsOf = (socket: Socket): string =>
  [socket.localAddress, socket.localPort, socket.remoteAddress, socket.remotePort].join()
