/** Signatures of webhooks: what the header fields of a request claim, and whether one of some keys has signed it. */
import { type KeyObject, timingSafeEqual, verify } from 'node:crypto'
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

/** Reads one header field; the name is in lower case. */
type ReadHeader = (name: string) => string | undefined

/** At most this many signatures of a request are tried. */
const maxSignatures = 10

/** An id: visible ASCII. One field that was sent twice has a blank. */
const visible = /^[!-~]{1,255}$/

/** Whether a text may be the id of a message. */
export const isMessageId = (text: string): boolean => visible.test(text)

/** Seconds in decimal digits: no sign, no exponent, no more digits than any year needs. */
const digits = /^[0-9]{1,12}$/

const malformedId = 'the id of the message is malformed'
const malformedTime = 'the timestamp is malformed'
const malformedSignature = 'the signature is malformed'

/** Each entry is a version, a comma and base64; a field that was sent twice has a comma at the end of one. */
const standardEntry = /^v[0-9]+[a-z]?,[A-Za-z0-9+/=]+$/

const versions: ReadonlyMap<string, WebhookKey['kind']> = new Map([
  ['v1', 'hmac'],
  ['v1a', 'ed25519'],
])

/** Standard Webhooks 1.0.0; `svix-…` are the names of before the standard. */
function readStandard(header: ReadHeader): SignedClaim | string | undefined {
  const names = header('webhook-signature') === undefined ? 'svix' : 'webhook'
  const field = header(`${names}-signature`)
  if (field === undefined) return undefined
  const [id = '', time = ''] = [header(`${names}-id`), header(`${names}-timestamp`)]
  // a dot would let one message be read as another one
  if (!isMessageId(id) || id.includes('.')) return malformedId
  if (!digits.test(time)) return malformedTime
  const signatures: ClaimedSignature[] = []
  for (const entry of field.split(' ', maxSignatures)) {
    if (!standardEntry.test(entry)) return malformedSignature
    const comma = entry.indexOf(',')
    const kind = versions.get(entry.slice(0, comma))
    if (kind !== undefined) signatures.push({ kind, text: entry.slice(comma + 1) })
  }
  return { prefix: `${id}.${time}.`, signatures, id, timestamp: Number(time) }
}

const stripeElement = /^[a-z0-9_]+=[A-Za-z0-9]+$/

/** `t=…,v1=…`: elements of other names, such as `v0` of test events, are ignored. */
function readStripe(header: ReadHeader): SignedClaim | string | undefined {
  const field = header('stripe-signature')
  if (field === undefined) return undefined
  const elements = field.split(',')
  if (!elements.every((element) => stripeElement.test(element))) return malformedSignature
  const valuesOf = (name: string): string[] =>
    elements.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1))
  const [time = '', ...others] = valuesOf('t')
  if (!digits.test(time) || others.length > 0) return malformedTime
  const texts = valuesOf('v1').slice(0, maxSignatures)
  return {
    prefix: `${time}.`,
    signatures: texts.map((text) => ({ kind: 'hmac', text })),
    timestamp: Number(time),
  }
}

/** One signature after a prefix, over the body alone. */
function readPlain(
  header: ReadHeader,
  { header: name, prefix, id_header }: Sender,
): SignedClaim | string | undefined {
  const field = header(name)
  if (field === undefined) return undefined
  if (!field.startsWith(prefix)) return malformedSignature
  const id = id_header === undefined ? undefined : header(id_header)
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
export const readClaim = (header: ReadHeader, sender: Sender): SignedClaim | string | undefined =>
  readers[sender.scheme](header, sender)

/** Whether the claimed time is near enough; a scheme without time is always in time. @param now milliseconds since the epoch */
export const isInTime = (
  { timestamp }: SignedClaim,
  { tolerance }: Pick<Sender, 'tolerance'>,
  now: number,
): boolean => timestamp === undefined || Math.abs(now / 1000 - timestamp) <= tolerance

/** In constant time for texts of one length, which is no secret. */
function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Whether one of the keys has made one of the signatures. The body is as it was sent. */
export function isSignedBy(
  { prefix, signatures }: SignedClaim,
  keys: readonly WebhookKey[],
  body: Uint8Array,
  { encoding }: Pick<Sender, 'encoding'>,
): boolean {
  for (const { kind, key } of keys) {
    const texts = signatures.filter((one) => one.kind === kind)
    if (texts.length === 0) continue
    if (kind === 'ed25519') {
      const signed = Buffer.concat([Buffer.from(prefix), body])
      if (texts.some(({ text }) => isOfKey(text, key, signed))) return true
      continue
    }
    const made = key.sign(prefix, body, encoding)
    // the texts are compared, not their bytes: bytes may have several texts
    if (texts.some(({ text }) => isSameText(text, made))) return true
  }
  return false
}

function isOfKey(text: string, key: KeyObject, signed: Buffer): boolean {
  const signature = Buffer.from(text, 'base64')
  return signature.toString('base64') === text && verify(null, signed, key, signature)
}
