/** The failures of OIDC login, callback and logout: a table from code to HTTP status, and the class that carries them. */

/** Error codes of OIDC login, callback and logout (specification: OIDC error body) ─▶ HTTP status (behaviour: OIDC). */
const oidcErrors = {
  unknown_provider: 404,
  authorization_url_failed: 500,
  provider_unavailable: 500,
  ticket_issue_failed: 500,
  ticket_too_large: 500,
  claims_too_large: 500,
  invalid_redirect_uri: 400,
  missing_code_or_state: 400,
  invalid_state: 400,
  state_expired: 400,
  realm_mismatch: 400,
  token_exchange_failed: 400,
  missing_authid_claim: 400,
  unmet_authentication_requirements: 400,
  provider_error: 400,
} as const

/** A code that pages which log people in switch on. */
export type OidcErrorCode = keyof typeof oidcErrors

/** An identity provider's account of a failure, for the log; no part of it is a secret. */
export interface ProviderAnswer {
  /** The URL of the request, without its query. */
  readonly provider_url?: string
  readonly provider_status?: number
  /** `error` of the answer (RFC 6749 §4.1.2.1, §5.2). */
  readonly provider_code?: string
  readonly provider_description?: string
}

/** Options of an {@link OidcError}. */
interface OidcErrorOptions extends ErrorOptions {
  readonly answer?: ProviderAnswer
  /** A conflict that people can resolve: the status is 409, and the sentence, which says how, goes to the client. */
  readonly advice?: string
}

/** An expected failure of an OIDC endpoint: clients get the code, and of a provider its code; `message` is for the log. */
export class OidcError extends Error {
  readonly code: OidcErrorCode
  readonly answer: ProviderAnswer
  readonly advice: string | undefined

  constructor(code: OidcErrorCode, message: string, options: OidcErrorOptions = {}) {
    super(message, options)
    this.name = 'OidcError'
    this.code = code
    this.answer = options.answer ?? {}
    this.advice = options.advice
  }

  /** The HTTP status of the code. */
  get status(): number {
    return this.advice === undefined ? oidcErrors[this.code] : 409
  }

  toJSON(): {
    readonly error: OidcErrorCode
    readonly provider_code?: string
    readonly message?: string
  } {
    const { provider_code } = this.code === 'provider_error' ? this.answer : {}
    return {
      error: this.code,
      ...(provider_code !== undefined && { provider_code }),
      ...(this.advice !== undefined && { message: this.advice }),
    }
  }
}
