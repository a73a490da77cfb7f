/** Signs messages: the header fields by which a receiver verifies their sender and content. */
import { type KeyObject, sign } from 'node:crypto'
import type { WebhookEncoding } from '#component/realm/documents/info/webhook-rules.ts'
import type { HmacKey } from '#component/security/webhook/hmac.ts'

/** A key that signs. */
export type SigningKey =
  | { readonly kind: 'hmac'; readonly key: HmacKey }
  | { readonly kind: 'ed25519'; readonly key: KeyObject }

/** How a signer writes its signatures: under `webhook-signature` (Standard Webhooks 1.0.0), or in a header of its own. */
export type SignatureForm =
  | { readonly scheme: 'standard' }
  | {
      readonly scheme: 'hmac'
      /** In lower case. */
      readonly header: string
      readonly prefix: string
      readonly encoding: WebhookEncoding
      /** The name, in lower case, of a second header with the id of the message; undefined: no second header. */
      readonly id_header: string | undefined
    }

/** What names a message. */
export interface MessageName {
  readonly webhook_id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
}

/** The fields that every message has. */
export const nameFields = ({ webhook_id, timestamp }: MessageName) => ({
  'webhook-id': webhook_id,
  'webhook-timestamp': String(timestamp),
})

/** One signature of Standard Webhooks: a version, and base64. */
function standardSignature(one: SigningKey, prefix: string, body: Uint8Array): string {
  if (one.kind === 'hmac') return `v1,${one.key.sign(prefix, body, 'base64')}`
  const signed = Buffer.concat([Buffer.from(prefix), body])
  return `v1a,${sign(null, signed, one.key).toString('base64')}`
}

/**
 * The fields with the signatures of a message, by each of some keys.
 * @param keys at least one; of `hmac` the receivers know one signature, which the first key makes
 * @param body the bytes that are sent
 */
export function signatureFields(
  form: SignatureForm,
  keys: readonly SigningKey[],
  name: MessageName,
  body: Uint8Array,
): Readonly<Record<string, string>> {
  if (form.scheme === 'standard') {
    const prefix = `${name.webhook_id}.${name.timestamp}.`
    const all = keys.map((one) => standardSignature(one, prefix, body))
    return { 'webhook-signature': all.join(' ') }
  }
  const [first] = keys
  const { header, prefix, encoding, id_header } = form
  const code = first?.kind === 'hmac' ? first.key.sign('', body, encoding) : ''
  return {
    [header]: `${prefix}${code}`,
    ...(id_header !== undefined && { [id_header]: name.webhook_id }),
  }
}
