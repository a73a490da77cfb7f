/** Why a token, ticket or refresh token is not accepted. */

/** A refusal that its bearer may be told about. */
export class TokenError extends Error {
  /** A sentence for `error_description`: no quotes, and nothing of the token. */
  readonly reason: string

  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'TokenError'
    this.reason = reason
  }
}

/** What a verification gives; undefined when it refuses the token. Any other failure is passed on. */
export async function unlessRefused<T>(verify: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch (cause) {
    if (cause instanceof TokenError) return undefined
    throw cause
  }
}
