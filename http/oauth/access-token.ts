/** Reads access tokens at OAuth2 endpoints, where an invalid token is not an error. */
import type { AccessClaims, AccessTokens } from '#component/token/access-token.ts'
import { TokenError } from '#component/token/token-error.ts'

/** The claims of a token that is valid now; undefined for every other text. */
export async function verified(
  accessTokens: Pick<AccessTokens, 'verify'>,
  token: string,
  realm_uri: string,
): Promise<AccessClaims | undefined> {
  try {
    return await accessTokens.verify(token, realm_uri)
  } catch (error) {
    if (error instanceof TokenError) return undefined
    throw error
  }
}
