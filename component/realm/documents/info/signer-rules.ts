/** The keys of a signer in `info.webhook_signers`, and what loading a realm document checks of them. */
import { pointer } from '#component/codec/json.ts'
import { orNull } from '#component/realm/documents/field-rules.ts'
import {
  anything,
  described,
  listOf,
  object,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap } from '#component/syntax/values.ts'
import { readSigningSecret } from '#component/syntax/webhook-secret.ts'
import { isSecret, secretText, secretWords } from './secret-value.ts'
import {
  headerName,
  leastBytes,
  maxSecrets,
  ofHmac,
  secretsOf,
  signatureKeys,
} from './webhook-rules.ts'

/** How signers sign. */
export const signerSchemes = ['standard', 'hmac'] as const
export type SignerScheme = (typeof signerSchemes)[number]

/** Of one signer. */
const maxOrigins = 100

const ofStandard =
  '`whsec_` and base64 of 24 to 64 bytes, or `whsk_` and base64 of a private key of Ed25519'

const origin = text('an origin, https://host[:port] or http://host[:port]', (value) =>
  /^https?:\/\//i.test(value) ? originProblem(value) : 'it begins with neither scheme',
)

const keys = {
  scheme: described(
    oneOf(signerSchemes),
    'How messages are signed: `standard` (Standard Webhooks), or `hmac` for receivers that want one signature of the body.',
    { examples: ['standard'] },
  ),
  secret: described(
    anything,
    `The secret: ${secretWords}. Of \`standard\`: ${ofStandard}. A load without it keeps the stored one; \`null\` removes it.`,
    { examples: [{ env: 'SHOP_HOOK_SECRET' }] },
  ),
  secrets: described(
    orNull(listOf(anything, 'a list of secrets')),
    `Several secrets, at most ${maxSecrets}; each signs every message. So a secret is replaced without a gap.`,
    { examples: [[{ env: 'SHOP_HOOK_NEW' }, { env: 'SHOP_HOOK_OLD' }]] },
  ),
  origins: described(
    listOf(origin, 'a list of origins'),
    `Where signed messages may go: scheme, host and port; at most ${maxOrigins}.`,
    { examples: [['https://shop.example.com']] },
  ),
  ...signatureKeys,
  id_header: described(
    headerName,
    'Of `hmac`: a further header with the id of the message, which `webhook-id` has, too.',
    { examples: ['x-delivery-id'] },
  ),
  description: described(string, 'A text for readers.'),
} as const satisfies Readonly<Record<string, Rule>>

const shape = object('a signer', {
  keys,
  required: {
    scheme: 'how messages are signed',
    origins: 'the origins that signed messages may go to',
  },
})

/** Why a secret cannot be one of the scheme; undefined for one that can, and for one that is elsewhere or stored already. */
function secretProblem(value: unknown, scheme: unknown): string | undefined {
  if (!isSecret(value)) return 'expected a secret'
  const text = secretText(value)
  if (text === undefined || scheme !== 'standard' || readSigningSecret(text)) return undefined
  return `expected ${ofStandard.replaceAll('`', '')}`
}

/** One signer. */
export const signer: Rule = described(
  rule(shape.schema, (value, path, report) => {
    shape(value, path, report)
    if (!isMap(value)) return
    const { scheme, secrets, origins } = value
    for (const [secret, ...at] of secretsOf(value)) {
      const problem = secretProblem(secret, scheme)
      // never shown
      if (problem !== undefined) report.issue(pointer(path, ...at), problem)
      const text = scheme === 'hmac' ? (secretText(secret) ?? '') : ''
      if (text !== '' && Buffer.byteLength(text) < leastBytes) {
        const advice = `the secret has less than ${leastBytes} bytes, and can be guessed from a signed message: use a random one of 32`
        report.warn(pointer(path, ...at), advice)
      }
    }
    if (Array.isArray(secrets) && secrets.length > maxSecrets) {
      report.issue(pointer(path, 'secrets'), `expected at most ${maxSecrets} secrets`)
    }
    if (Array.isArray(origins) && origins.length > maxOrigins) {
      report.issue(pointer(path, 'origins'), `expected at most ${maxOrigins} origins`)
    }
    if (scheme === 'hmac' && !Object.hasOwn(value, 'header')) {
      report.missing(path, 'header', 'the header of the signature')
    }
    for (const key of scheme === 'standard' ? ofHmac : []) {
      if (Object.hasOwn(value, key))
        report.warn(pointer(path, key), `the scheme standard has no ${key}: it is not used`)
    }
  }),
  'A signer of what is delivered, under `info.webhook_signers.<name>`. Deliveries name it in `sign`.',
  { title: 'Signer' },
)
