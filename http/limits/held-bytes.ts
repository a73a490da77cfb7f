/** Bytes that are held for HTTP clients: bodies while they are read and used, answers until they have left. */

import type { LimitUsage } from '#component/limits/limit-usage.ts'
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
 * @param usage counts what there is no room for
 */
export function heldBytes(whole: Quota, usage: LimitUsage): NetworkShare {
  const all = new Quota(Math.floor(whole.limit * httpPart), whole)
  return shareOf(all, networkPart, usage)
}

/** The part of all buffered bytes that may wait on the connections of one network as requests that are not parsed yet. */
const pipelinedPart = 1 / 32

/** The bytes of pipelined requests that wait to be parsed; parameters as those of {@link heldBytes}. */
export const pipelinedBytes = (whole: Quota, usage: LimitUsage): NetworkShare =>
  shareOf(whole, pipelinedPart, usage)

/** The bodies that are streamed to procedures at once (`limits.streamed_bodies`). @param usage as of {@link heldBytes} */
export function streamedBodies(most: number, usage: LimitUsage): NetworkShare {
  const whole = new Quota(most)
  usage.declare('limits.streamed_bodies', most, () => whole.used)
  const onRefused = () => usage.refuse('limits.streamed_bodies')
  return new NetworkShare(Math.ceil(most * networkPart), { whole, onRefused })
}

const shareOf = (whole: Quota, part: number, usage: LimitUsage): NetworkShare =>
  new NetworkShare(Math.floor(whole.limit * part), {
    whole,
    onRefused: () => usage.refuse('limits.buffered_bytes'),
  })
