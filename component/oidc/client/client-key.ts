/** The private key by which the gateway proves at a provider which client it is (OpenID Connect Core §9), and its public half. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** A private key, ready to sign. */
export interface ClientKey {
  readonly key: CryptoKey
  readonly alg: 'ES256' | 'RS256' | 'EdDSA'
  /** The thumbprint of the public key (RFC 7638). */
  readonly kid: string
  /** The public key as it is published (RFC 7517 §4). */
  readonly public_jwk: Readonly<Record<string, unknown>>
}

/** The keys that a client may have, in words. */
const wanted = 'a PEM of PKCS #8 with a key of P-256, Ed25519, or RSA of 2048 bits or more'

/** A kind of key, and how Web Cryptography names it. */
interface Kind {
  readonly alg: ClientKey['alg']
  readonly algorithm: {
    readonly name: string
    readonly namedCurve?: string
    readonly hash?: string
  }
  fits(key: KeyObject): boolean
}

const kinds: readonly Kind[] = [
  {
    alg: 'ES256',
    algorithm: { name: 'ECDSA', namedCurve: 'P-256' },
    fits: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === 'prime256v1',
  },
  {
    alg: 'RS256',
    algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    fits: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048,
  },
  {
    alg: 'EdDSA',
    algorithm: { name: 'Ed25519' },
    fits: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
  },
]

function parse(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    // the library's reason may quote the text
    throw new Error(`expected ${wanted}`)
  }
}

/**
 * Reads a private key.
 * @param pem PKCS #8, as `openssl genpkey` writes it
 * @throws Error that says which keys are allowed, and nothing of the text
 */
export async function readClientKey(pem: string): Promise<ClientKey> {
  const parsed = parse(pem)
  const kind = kinds.find(({ fits }) => fits(parsed))
  if (!kind) throw new Error(`expected ${wanted}`)
  const { alg, algorithm } = kind
  const der = parsed.export({ type: 'pkcs8', format: 'der' })
  // exactly the members that the thumbprint is made of
  const jwk = createPublicKey(parsed).export({ format: 'jwk' })
  const members = Object.fromEntries(Object.entries(jwk).sort(([a], [b]) => (a < b ? -1 : 1)))
  const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url')
  return {
    ...{ alg, kid, public_jwk: { ...jwk, kid, alg, use: 'sig' } },
    key: await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
  }
}
