/** The names of deliveries and of their messages: digests, the same on all nodes. */
import { createHash } from 'node:crypto'
import type { DeliveryRef } from './types.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Base32 in small letters, without padding (RFC 4648 §6). */
function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(value >>> bits) & 31]
    }
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31]
}

const digest = (texts: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(texts)).digest()

/** The webhook-id of a publication, for all endpoints: `msg_` and 128 bits. */
export const webhookIdOf = (
  { realm_uri, api_spec, name }: DeliveryRef,
  publication: string,
): string => `msg_${base32(digest([realm_uri, api_spec, name, publication]).subarray(0, 16))}`

/** The webhook-id of the message that tells a gap. @param gap names it in the store */
export const gapWebhookIdOf = ({ realm_uri, api_spec, name }: DeliveryRef, gap: string): string =>
  `gap_${base32(digest([realm_uri, api_spec, name, gap]).subarray(0, 16))}`

/** Makes an id once for each object: a delivery with a thousand endpoints is named at each change of one. */
function onceForEach(make: (ref: DeliveryRef) => string): (ref: DeliveryRef) => string {
  const known = new WeakMap<DeliveryRef, string>()
  return (ref) => {
    const id = known.get(ref) ?? make(ref)
    known.set(ref, id)
    return id
  }
}

const idOf = (...texts: readonly string[]): string =>
  digest(texts).subarray(0, 12).toString('base64url')

/** Names a delivery, or one of its endpoints of users, in the store: 96 bits. */
export const deliveryIdOf = onceForEach(({ realm_uri, api_spec, name, endpoint }) =>
  endpoint === undefined
    ? idOf(realm_uri, api_spec, name)
    : idOf(realm_uri, api_spec, name, endpoint),
)

/** The id of the delivery as a whole, whatever endpoint is meant. */
export const wholeIdOf = onceForEach(({ realm_uri, api_spec, name }) =>
  idOf(realm_uri, api_spec, name),
)

/** The procedure that the node registers which accepts the events of a realm. */
export const lockOf = (realm_uri: string): string =>
  `service.delivery.${base32(digest([realm_uri]).subarray(0, 16))}`
