/** WAMP peers of attacks: they may be cut off at any time, which is their own business. */
import { WebSocket } from 'ws'
import { RouterPeer } from '#test/contract/router/peer.ts'
import type { Target } from './attack.ts'
import { pause } from './sockets.ts'

/** Joins; undefined when the gateway does not let it. */
export const join = (
  { realm, routerUrl }: Target,
  subprotocol?: string,
): Promise<RouterPeer | undefined> =>
  RouterPeer.join({ url: routerUrl, realm }, subprotocol).catch(() => undefined)

/** Connects without a word; undefined when the gateway does not let it. */
export const open = ({ routerUrl }: Target): Promise<RouterPeer | undefined> =>
  RouterPeer.open(routerUrl).catch(() => undefined)

/** May the peer still send? */
export const isOpen = ({ webSocket }: RouterPeer): boolean =>
  webSocket.readyState === WebSocket.OPEN

/** Waits until little is left to be sent, or the peer is cut off, or the attack ends. */
export async function sent(peer: RouterPeer, signal: AbortSignal): Promise<void> {
  while (isOpen(peer) && peer.webSocket.bufferedAmount > 1_000_000 && !signal.aborted) {
    await pause(5, signal)
  }
}
