/** Tokens as nobody should make them: forged with the very key of the realm, as it lies in the store of a gateway. */
import { join } from 'node:path'
import { CompactSign, importJWK, type JWK } from 'jose'
import { systemClock } from '#component/clock.ts'
import { SecretBox } from '#component/secret-box.ts'
import { openStore } from '#component/store/database.ts'
import { shopRealm } from '#test/support/examples/example-api.ts'

type Json = Readonly<Record<string, unknown>>

/** The `store.key` of gateways whose tokens are forged. */
export const storeKey = 'known to whoever forges tokens here'

/** One part of a JWT. */
export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** The header or the claims of a token. */
export const decode = (token: string, part: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())

/** A key that signs for the realm of the shop. */
export interface StolenKey {
  readonly kid: string
  readonly jwk: JWK
}

/** The keys of the realm in the store of a gateway, by age. */
export async function stealKeys(dataDir: string): Promise<StolenKey[]> {
  const store = await openStore(`sqlite:${join(dataDir, 'gateway.db')}`, systemClock)
  const { entries } = await store.entries.since(0)
  await store.close()
  const box = new SecretBox(storeKey)
  return entries.flatMap(({ kind, id, document }) =>
    kind === 'realm_key' && document?.realm_uri === shopRealm
      ? [{ kid: id, jwk: JSON.parse(box.open(`${document.private_jwk}`, `realm_key ${id}`) ?? '') }]
      : [],
  )
}

/** How a forged token differs from a good one; a member that is undefined is left out. */
interface Difference {
  readonly header?: Json
  readonly claims?: Json
}

/** A good token with another header or other claims, signed as the gateway would sign it. */
export async function forge(
  { kid, jwk }: StolenKey,
  token: string,
  { header, claims }: Difference = {},
): Promise<string> {
  const payload = { ...decode(token, 1), ...claims }
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
    .sign(await importJWK(jwk, 'ES256'), { crit: { x: true } })
}
