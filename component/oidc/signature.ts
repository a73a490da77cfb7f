/** Verifies a token of a provider where the library does not: a logout token, and an ID token that the library cannot read as it is. */
import type { CompactVerifyResult, JSONWebKeySet } from 'jose'
import { JOSEError, JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { compactVerify } from 'jose/jws/compact/verify'
import type { CustomFetch } from 'openid-client'
import type { Discovered } from './client/discovery.ts'

/** What a signature is held against. */
export interface SignatureRules {
  /** The algorithms that the provider announces for ID tokens; RS256 where it announces none (OpenID Connect Discovery §3). */
  readonly algorithms?: readonly string[] | undefined
  /** The keys of the provider. @param isNew whether a key is missed in those that are known */
  keys(isNew: boolean): Promise<JSONWebKeySet>
}

/** Signatures that nobody but the provider can make: neither `none` nor those of a shared secret. */
const asymmetric = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

const missesKey = (result: unknown): boolean =>
  result instanceof JWKSNoMatchingKey || result instanceof JWSSignatureVerificationFailed

/**
 * @returns the payload and the header, or why the signature is wrong
 * @throws what `keys` throws
 */
export async function verifySignature(
  token: string,
  { algorithms = ['RS256'], keys }: SignatureRules,
): Promise<CompactVerifyResult | JOSEError> {
  const options = { algorithms: algorithms.filter((name) => asymmetric.test(name)) }
  const verify = async (isNew: boolean) =>
    compactVerify(token, createLocalJWKSet(await keys(isNew)), options).catch((error: unknown) => {
      if (error instanceof JOSEError) return error
      throw error
    })
  const verified = await verify(false)
  // a key that is new, or has changed under its name
  return missesKey(verified) ? verify(true) : verified
}

/** Those of a provider. @param send sends a request to it */
export function signatureRules(
  { metadata, jwks }: Pick<Discovered, 'metadata' | 'jwks'>,
  send: CustomFetch,
): SignatureRules {
  const headers = { accept: 'application/json' }
  const request = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const
  return {
    algorithms: metadata.id_token_signing_alg_values_supported,
    keys: (isNew) => jwks.keys(isNew, () => send(metadata.jwks_uri ?? '', request)),
  }
}
