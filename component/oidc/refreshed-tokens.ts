/** New tokens of a login for its refresh token (OpenID Connect Core §12). */
import type * as openid from 'openid-client'
import { withoutNulls } from '#component/syntax/values.ts'
import type { Claims } from './claims.ts'

/** What a provider gives. */
export interface Refreshed {
  /** The next one; the same where the provider does not rotate them. */
  readonly refresh_token: string
  readonly access_token: string
  /** Seconds since the epoch. */
  readonly access_token_expires_at?: number
  /** Those of the new ID token; undefined where the provider gives none. */
  readonly claims: Claims | undefined
}

/**
 * Asks for them.
 * @param of `sub`: whose login it is; `now`: seconds since the epoch
 * @throws whatever the library throws; Error for the ID token of another user
 */
export async function refreshTokens(
  client: typeof openid,
  configuration: openid.Configuration,
  of: { readonly refresh_token: string; readonly sub: string; readonly now: number },
): Promise<Refreshed> {
  const tokens = await client.refreshTokenGrant(configuration, of.refresh_token)
  const claims = tokens.claims()
  if (claims !== undefined && claims.sub !== of.sub) {
    throw new Error('the ID token is of another user')
  }
  const expires_at = of.now + Math.floor(tokens.expires_in ?? Number.NaN)
  return {
    claims: claims && withoutNulls(claims),
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token ?? of.refresh_token,
    ...(Number.isSafeInteger(expires_at) && { access_token_expires_at: expires_at }),
  }
}
