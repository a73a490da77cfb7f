/** Signatures of webhooks: what the header fields of a request claim, and whether one of some keys has signed it. */
import { type KeyObject, verify } from 'node:crypto'
import type { HmacKey } from './hmac.ts'
import type { Sender } from './senders.ts'

/** A key that verifies. */
export type WebhookKey =
  | { readonly kind: 'hmac'; readonly key: HmacKey }
  | { readonly kind: 'ed25519'; readonly key: KeyObject }

/** What a request claims of itself. */
export interface SignedClaim {
  /** What is signed before the body; `""` where the body is signed alone. */
  readonly prefix: string
  /** The signatures to try. */
  readonly signatures: readonly ClaimedSignature[]
  /** As the sender names the message. */
  readonly id?: string
  /** When it was signed, in seconds since the epoch. */
  readonly timestamp?: number
}

/** A signature as the header field has it. */
interface ClaimedSignature {
  readonly kind: WebhookKey['kind']
  readonly text: string
}

/** The header fields of a request; names are in lower case. */
interface Fields {
  header(name: string): string | undefined
}

/** At most this many signatures of a request are tried. */
const maxSignatures = 10

/** Whether each character is one from `first` to `last`, and there are 1 to `most` of them. A loop is faster than a pattern here. */
function isOf(first: string, last: string, most: number, text: string): boolean {
  if (text.length === 0 || text.length > most) return false
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) < first || text.charAt(at) > last) return false
  }
  return true
}

/** Whether a text may be the id of a message: visible ASCII. One field that was sent twice has a blank. */
export const isMessageId = (text: string): boolean => isOf('!', '~', 255, text)

/** Seconds in decimal digits: no sign, no exponent, no more digits than any year needs. */
const isTime = (text: string): boolean => isOf('0', '9', 12, text)

const malformedId = 'the id of the message is malformed'
const malformedTime = 'the timestamp is malformed'
const malformedSignature = 'the signature is malformed'

/** A version of Standard Webhooks, with the comma behind it. */
const versions = [
  { version: 'v1,', kind: 'hmac' },
  { version: 'v1a,', kind: 'ed25519' },
] as const satisfies readonly { version: string; kind: WebhookKey['kind'] }[]

/** Standard Webhooks 1.0.0; `svix-…` are the names of before the standard. */
function readStandard(request: Fields): SignedClaim | string | undefined {
  const field = request.header('webhook-signature')
  return field === undefined
    ? readEntries(
        request.header('svix-signature'),
        request.header('svix-id'),
        request.header('svix-timestamp'),
      )
    : readEntries(field, request.header('webhook-id'), request.header('webhook-timestamp'))
}

/** @param field each entry is a version, a comma and base64 */
function readEntries(
  field: string | undefined,
  id = '',
  time = '',
): SignedClaim | string | undefined {
  if (field === undefined) return undefined
  // a dot would let one message be read as another one
  if (!isMessageId(id) || id.includes('.')) return malformedId
  if (!isTime(time)) return malformedTime
  const signatures: ClaimedSignature[] = []
  for (const entry of field.includes(' ') ? field.split(' ', maxSignatures) : [field]) {
    const comma = entry.indexOf(',')
    // a field that was sent twice has a comma at the end of one
    if (comma < 0 || entry.includes(',', comma + 1)) return malformedSignature
    for (const { version, kind } of versions) {
      if (entry.startsWith(version)) signatures.push({ kind, text: entry.slice(comma + 1) })
    }
  }
  return { prefix: `${id}.${time}.`, signatures, id, timestamp: Number(time) }
}

const stripeElement = /^[a-z0-9_]+=[A-Za-z0-9]+$/

/** `t=…,v1=…`: elements of other names, such as `v0` of test events, are ignored. */
function readStripe(request: Fields): SignedClaim | string | undefined {
  const field = request.header('stripe-signature')
  if (field === undefined) return undefined
  const elements = field.split(',')
  if (!elements.every((element) => stripeElement.test(element))) return malformedSignature
  const valuesOf = (name: string): string[] =>
    elements.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1))
  const [time = '', ...others] = valuesOf('t')
  if (!isTime(time) || others.length > 0) return malformedTime
  const texts = valuesOf('v1').slice(0, maxSignatures)
  return {
    prefix: `${time}.`,
    signatures: texts.map((text) => ({ kind: 'hmac', text })),
    timestamp: Number(time),
  }
}

/** One signature after a prefix, over the body alone. */
function readPlain(
  request: Fields,
  { header: name, prefix, id_header }: Sender,
): SignedClaim | string | undefined {
  const field = request.header(name)
  if (field === undefined) return undefined
  if (!field.startsWith(prefix)) return malformedSignature
  const id = id_header === undefined ? undefined : request.header(id_header)
  if (id !== undefined && !isMessageId(id)) return malformedId
  return {
    prefix: '',
    signatures: [{ kind: 'hmac', text: field.slice(prefix.length) }],
    ...(id !== undefined && { id }),
  }
}

const readers = {
  standard: readStandard,
  stripe: readStripe,
  github: readPlain,
  hmac: readPlain,
} as const satisfies Record<Sender['scheme'], unknown>

/** Reads what a request claims. undefined: it has no signature; a text: why its fields are refused. */
export const readClaim = (request: Fields, sender: Sender): SignedClaim | string | undefined =>
  readers[sender.scheme](request, sender)

/** Whether the claimed time is near enough; a scheme without time is always in time. @param now milliseconds since the epoch */
export const isInTime = (
  { timestamp }: SignedClaim,
  { tolerance }: Pick<Sender, 'tolerance'>,
  now: number,
): boolean => timestamp === undefined || Math.abs(now / 1000 - timestamp) <= tolerance

/** In constant time for texts of one length, which is no secret. */
function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** Whether one of the keys has made one of the signatures. The body is as it was sent. */
export function isSignedBy(
  { prefix, signatures }: SignedClaim,
  keys: readonly WebhookKey[],
  body: Uint8Array,
  { encoding }: Pick<Sender, 'encoding'>,
): boolean {
  let signed: Buffer | undefined
  for (const { kind, key } of keys) {
    let made: string | undefined
    for (const { kind: claimed, text } of signatures) {
      if (claimed !== kind) continue
      if (kind === 'ed25519') {
        signed ??= Buffer.concat([Buffer.from(prefix), body])
        if (isOfKey(text, key, signed)) return true
        continue
      }
      made ??= key.sign(prefix, body, encoding)
      // the texts are compared, not their bytes: bytes may have several texts
      if (isSameText(text, made)) return true
    }
  }
  return false
}

function isOfKey(text: string, key: KeyObject, signed: Buffer): boolean {
  const signature = Buffer.from(text, 'base64')
  return signature.toString('base64') === text && verify(null, signed, key, signature)
}
