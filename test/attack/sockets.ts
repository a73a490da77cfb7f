/** Sockets of attacks, and how they wait. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from './attack.ts'

/** Opens a connection; what goes wrong with it is the attacker's own business. */
export function openSocket({ host, port }: Target): Socket {
  const socket = connect({ host, port, localAddress: '127.0.0.1' })
  socket.on('error', () => undefined)
  return socket
}

/** Waits; less when the attack ends. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => undefined)

/** Resolves when the attack is to end. */
export const ended = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) await pause(1000, signal)
}
