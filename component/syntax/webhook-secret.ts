/** The secrets of Standard Webhooks 1.0.0: `whsec_` and base64 for a shared key, `whpk_` for a public key, `whsk_` for a private key. */

/** A key as its text holds it. */
export interface StandardSecret {
  /** A key of HMAC-SHA256, or the public key of Ed25519. */
  readonly kind: 'hmac' | 'ed25519'
  readonly bytes: Buffer
}

const [shared, publicKey, privateKey] = ['whsec_', 'whpk_', 'whsk_']

/** Bytes of a shared key; the standard recommends 24 to 64. */
const sharedBytes = { least: 24, most: 64 } as const

/** Bytes of a public key of Ed25519 (RFC 8032). */
const publicBytes = 32

/** Bytes of a private key of Ed25519: the seed, alone or before the public key. */
const privateBytes: readonly number[] = [32, 64]

/** The bytes of a text in base64; undefined where they have another text, too. */
function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Reads a secret; a shared key may stand without its prefix. undefined: it is malformed, or a shared key is too short or too long. */
export function readStandardSecret(text: string): StandardSecret | undefined {
  if (text.startsWith(publicKey)) {
    const bytes = readBase64(text.slice(publicKey.length))
    return bytes?.length === publicBytes ? { kind: 'ed25519', bytes } : undefined
  }
  const bytes = readBase64(text.startsWith(shared) ? text.slice(shared.length) : text)
  const isLong = bytes !== undefined && bytes.length >= sharedBytes.least
  return isLong && bytes.length <= sharedBytes.most ? { kind: 'hmac', bytes } : undefined
}

/** A key that signs. */
export interface SigningSecret {
  /** A key of HMAC-SHA256, or the seed of a private key of Ed25519 (RFC 8032 §5.1.5). */
  readonly kind: StandardSecret['kind']
  readonly bytes: Buffer
}

/** Reads the secret of one who signs: a shared key, or a private one of 32 or 64 bytes; undefined: it is malformed, or a public key. */
export function readSigningSecret(text: string): SigningSecret | undefined {
  if (text.startsWith(privateKey)) {
    const bytes = readBase64(text.slice(privateKey.length))
    if (bytes === undefined || !privateBytes.includes(bytes.length)) return undefined
    return { kind: 'ed25519', bytes: bytes.subarray(0, publicBytes) }
  }
  const secret = readStandardSecret(text)
  return secret?.kind === 'hmac' ? secret : undefined
}
