/** The keys of a sender of webhooks in `info.webhook_senders`, and what loading a realm document checks of them. */

import { pointer } from '#component/codec/json.ts'
import { name, orNull } from '#component/realm/documents/field-rules.ts'
import {
  anything,
  described,
  integer,
  listOf,
  object,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { headerNameProblem } from '#component/syntax/http-field.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { readStandardSecret } from '#component/syntax/webhook-secret.ts'
import { isSecret, secretText, secretWords } from './secret-value.ts'

/** How senders sign. */
export const webhookSchemes = ['standard', 'stripe', 'github', 'hmac'] as const
export type WebhookScheme = (typeof webhookSchemes)[number]

/** The hashes of `hmac`. */
const hashes = ['sha256', 'sha384', 'sha512'] as const
export type WebhookHash = (typeof hashes)[number]

/** How the signatures of `hmac` are written. */
const encodings = ['hex', 'base64'] as const
export type WebhookEncoding = (typeof encodings)[number]

/** Seconds; a day. */
const maxTolerance = 86_400

/** Secrets of one sender or signer: one in use, and those of a rotation. */
export const maxSecrets = 10

/** The name of a header. */
export const headerName = text('the name of a header', headerNameProblem)

/** How a signature of `hmac` is written, by those who send and by those who receive. */
export const signatureKeys = {
  header: described(headerName, 'Of `hmac`, required: the header of the signature.', {
    examples: ['x-signature'],
  }),
  algorithm: described(oneOf(hashes), 'Of `hmac`: the hash.', { default: 'sha256' }),
  encoding: described(
    oneOf(encodings),
    'Of `hmac`: how the signature is written; `hex` in lower case.',
    {
      default: 'hex',
    },
  ),
  prefix: described(string, 'Of `hmac`: what stands before the signature in its header.', {
    default: '',
    examples: ['sha256='],
  }),
} as const satisfies Readonly<Record<string, Rule>>

const ofStandard =
  'Of `standard`: `whsec_` and base64 of 24 to 64 bytes, or `whpk_` and a public key of Ed25519'

const keys = {
  scheme: described(
    oneOf(webhookSchemes),
    'How the sender signs: `standard` (Standard Webhooks, Svix), `stripe`, `github`, or `hmac` for others.',
    { examples: ['standard'] },
  ),
  secret: described(
    anything,
    `The secret: ${secretWords}. ${ofStandard}. A load without it keeps the stored one; \`null\` removes it.`,
    { examples: [{ env: 'GITHUB_HOOK_SECRET' }] },
  ),
  secrets: described(
    orNull(listOf(anything, 'a list of secrets')),
    `Several secrets, at most ${maxSecrets}; a signature by any of them suffices. So a secret is replaced without a gap.`,
    { examples: [[{ env: 'STRIPE_HOOK' }, { env: 'STRIPE_HOOK_OLD' }]] },
  ),
  username: described(
    name,
    'The user as whom the requests pass: its grants decide. Default: they pass as anonymous.',
    { examples: ['hook-github'] },
  ),
  tolerance: described(
    integer(1, maxTolerance, ' of seconds'),
    'Of `standard` and `stripe`: how far the time of the signature may be from now, both ways. Seconds.',
    { default: 300 },
  ),
  ...signatureKeys,
  id_header: described(
    headerName,
    'Of `hmac`: the header with the id of the message, which becomes `security.webhook_id`. It is not signed.',
    { examples: ['x-delivery-id'] },
  ),
  description: described(string, 'A text for readers.'),
} as const satisfies Readonly<Record<string, Rule>>

/** The keys that only the scheme `hmac` has. */
export const ofHmac = ['header', 'algorithm', 'encoding', 'prefix', 'id_header']

/** The keys that mean nothing under a scheme. */
const unusedKeys: Readonly<Record<WebhookScheme, readonly string[]>> = {
  standard: ofHmac,
  stripe: ofHmac,
  github: [...ofHmac, 'tolerance'],
  hmac: ['tolerance'],
}

const shape = object('a sender', { keys, required: { scheme: 'how the sender signs' } })

/** Why a secret cannot be one of the scheme; undefined for one that can, and for one that is elsewhere or stored already. */
function secretProblem(value: unknown, scheme: unknown): string | undefined {
  if (!isSecret(value)) return 'expected a secret'
  const text = secretText(value)
  if (text === undefined || scheme !== 'standard') return undefined
  if (readStandardSecret(text) !== undefined) return undefined
  return 'expected whsec_ and base64 of 24 to 64 bytes, or whpk_ and base64 of a public key of Ed25519'
}

/** A shorter key of HMAC can be guessed from one message that it has signed; RFC 2104 §3 wants as many bytes as the hash has. */
export const leastBytes = 16

/** Whether a secret of one of the schemes with a text as key is short; one that is elsewhere is not known here. */
const isShort = (value: unknown, scheme: WebhookScheme): boolean => {
  const text = secretText(value) ?? ''
  return scheme !== 'standard' && text !== '' && Buffer.byteLength(text) < leastBytes
}

/** The secrets that a sender or signer has, with the keys that lead to each. */
export function secretsOf({
  secret,
  secrets,
}: JsonMap): readonly (readonly [unknown, ...(string | number)[]])[] {
  const list = Array.isArray(secrets) ? secrets : []
  return [
    ...(secret === undefined ? [] : [[secret, 'secret'] as const]),
    ...list.map((one: unknown, index) => [one, 'secrets', index] as const),
  ]
}

/** One sender. */
export const sender: Rule = described(
  rule(shape.schema, (value, path, report) => {
    shape(value, path, report)
    if (!isMap(value)) return
    for (const [secret, ...at] of secretsOf(value)) {
      const problem = secretProblem(secret, value.scheme)
      // never shown
      if (problem !== undefined) report.issue(pointer(path, ...at), problem)
    }
    if (Array.isArray(value.secrets) && value.secrets.length > maxSecrets) {
      report.issue(pointer(path, 'secrets'), `expected at most ${maxSecrets} secrets`)
    }
    const scheme = webhookSchemes.find((one) => one === value.scheme)
    if (scheme === undefined) return
    for (const [secret, ...at] of secretsOf(value)) {
      if (!isShort(secret, scheme)) continue
      const advice = `the secret has less than ${leastBytes} bytes, and can be guessed from a signed message: use a random one of 32`
      report.warn(pointer(path, ...at), advice)
    }
    if (scheme === 'hmac' && !Object.hasOwn(value, 'header')) {
      report.missing(path, 'header', 'the header of the signature')
    }
    for (const key of unusedKeys[scheme]) {
      if (Object.hasOwn(value, key))
        report.warn(pointer(path, key), `the scheme ${scheme} has no ${key}: it is not used`)
    }
  }),
  'A sender of webhooks, under `info.webhook_senders.<name>`. Paths with the security type `webhook` name it.',
  { title: 'Sender' },
)
