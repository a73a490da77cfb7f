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
