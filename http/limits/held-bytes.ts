/** Bytes that are held for HTTP clients: bodies while they are read and used, answers until they have left. */

import { NetworkShare } from '#component/limits/network-share.ts'
import { Quota } from '#component/limits/quota.ts'

/** Smaller answers are not counted: a client that does not read has few of them, as Node then parses no more requests. Bytes. */
export const maxUncounted = 65_536

/** The part of all buffered bytes that HTTP clients may hold; the rest stays for WAMP peers. */
const httpPart = 7 / 8

/** The part of these bytes that one network may hold; the rest stays for other networks. */
const networkPart = 1 / 4

/**
 * The bytes that HTTP clients hold.
 * @param whole the budget of the process (`limits.buffered_bytes`)
 * @param onRefused called when there is no room
 */
export function heldBytes(whole: Quota, onRefused: () => void): NetworkShare {
  const all = new Quota(Math.floor(whole.limit * httpPart), whole)
  return new NetworkShare(Math.floor(all.limit * networkPart), { whole: all, onRefused })
}
