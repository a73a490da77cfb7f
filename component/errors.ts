/** The errors of the service: a table from code to HTTP status and sentence, and the classes that carry them. */

const errors = {
  'service.error.already_exists': [400, 'It exists already.'],
  'service.error.not_found': [404, 'There is no such resource.'],
  'service.error.bad_gateway': [
    504,
    'The upstream could not be reached or gave no valid response.',
  ],
  'service.error.http_gateway.invalid_expression': [500, 'An expression failed.'],
  'service.error.http_gateway.invalid_request': [
    400,
    'The request lacks a value, or holds an unfit one.',
  ],
  'service.error.upstream_unauthorized': [
    502,
    'The upstream does not take the credentials of the gateway.',
  ],
  'service.error.timeout': [504, 'The action was not finished in time.'],
  'service.error.bad_request': [400, 'The request is malformed.'],
  'service.error.validation_failed': [400, 'The request does not fit its schema.'],
  'service.error.unauthorized': [401, 'The request lacks valid credentials.'],
  'service.error.method_not_allowed': [405, 'The resource does not serve this method.'],
  'service.error.not_acceptable': [406, 'None of the accepted media types is provided.'],
  'service.error.request_timeout': [408, 'The request was not received in time.'],
  'service.error.conflict': [412, 'The resource has changed since it was read.'],
  'service.error.payload_too_large': [413, 'The request body is too large.'],
  'service.error.unsupported_media_type': [415, 'The media type of the request is not accepted.'],
  'service.error.range_not_satisfiable': [416, 'The response has no such part.'],
  'service.error.misdirected_request': [421, 'The connection is not for this host.'],
  'service.error.expectation_failed': [417, 'The expectation cannot be met.'],
  'service.error.upgrade_required': [426, 'The request needs another version of the protocol.'],
  'service.error.too_many_requests': [429, 'There are too many requests.'],
  'service.error.quota_exceeded': [429, 'The quota is used up.'],
  'service.error.header_fields_too_large': [431, 'The header fields are too large or too many.'],
  'service.error.idempotency_key_missing': [400, 'The request needs an Idempotency-Key.'],
  'service.error.idempotency_key_reused': [
    422,
    'The Idempotency-Key was used for another request.',
  ],
  'service.error.idempotency_conflict': [
    409,
    'The first request with this Idempotency-Key is under way, or its response is not kept.',
  ],
  'service.error.internal': [500, 'An internal error occurred.'],
  'service.error.not_implemented': [501, 'A part that this needs is not installed.'],
  'service.error.response_mismatch': [500, 'The response does not fit its schema.'],
  'service.error.not_cached': [504, 'No fresh response is kept.'],
  'service.error.unavailable': [503, 'The service is not available now.'],
  'service.error.no_upstream_token': [503, 'There is no token for the upstream now.'],
  'service.error.no_upstream_target': [503, 'No target of the upstream can be reached now.'],
  'service.error.circuit_open': [503, 'The action fails too often and is not tried now.'],
  'service.error.loop_detected': [508, 'The request or the call comes back again and again.'],
  'service.error.clock_skew': [503, 'The clock of this node is too far off.'],
  'wamp.error.authorization_failed': [500, 'The authorization itself failed.'],
  'wamp.error.canceled': [400, 'The call was canceled.'],
  'wamp.error.close_realm': [500, 'The realm is closing.'],
  'wamp.error.disclose_me_not_allowed': [400, 'Disclosing the caller is not allowed.'],
  'wamp.error.goodbye_and_out': [500, 'The session is closing.'],
  'wamp.error.feature_not_supported': [501, 'The router or the callee lacks a feature.'],
  'wamp.error.invalid_argument': [400, 'An argument is missing, unexpected or of the wrong type.'],
  'wamp.error.invalid_payload': [502, 'The payload of a WAMP message cannot be read.'],
  'wamp.error.invalid_uri': [400, 'A URI is malformed.'],
  'wamp.error.net_failure': [502, 'The WAMP router cannot be reached.'],
  'wamp.error.no_eligible_callee': [502, 'No callee is eligible for the call.'],
  'wamp.error.no_such_procedure': [501, 'No callee has registered the procedure.'],
  'wamp.error.no_such_realm': [502, 'The realm does not exist.'],
  'wamp.error.no_such_registration': [502, 'The registration does not exist.'],
  'wamp.error.no_such_role': [400, 'The role does not exist.'],
  'wamp.error.no_such_session': [500, 'The session does not exist.'],
  'wamp.error.no_such_subscription': [502, 'The subscription does not exist.'],
  'wamp.error.not_authorized': [403, 'This is not allowed.'],
  'wamp.error.option_disallowed_disclose_me': [400, 'The option disclose_me is not allowed.'],
  'wamp.error.option_not_allowed': [400, 'An option is not allowed or of the wrong type.'],
  'wamp.error.payload_size_exceeded': [413, 'The payload exceeds what the router carries.'],
  'wamp.error.procedure_already_exists': [400, 'The procedure is registered already.'],
  'wamp.error.system_shutdown': [500, 'The system is shutting down.'],
  'wamp.error.timeout': [504, 'The call did not return in time.'],
} as const satisfies Record<string, readonly [status: number, description: string]>

/** A code of the service's own errors: `service.error.*` or `wamp.error.*`. */
export type ErrorUri = keyof typeof errors

/** Every code. */
export const errorUris = Object.keys(errors) as readonly ErrorUri[]

/** Whether the URI is in the table. */
export const isErrorUri = (uri: string): uri is ErrorUri => Object.hasOwn(errors, uri)

/** The HTTP status of an error URI where no document says another. */
export const statusOfError = (uri: ErrorUri): number => errors[uri][0]

/** The fixed sentence of an error URI. */
export const describeError = (uri: ErrorUri): string => errors[uri][1]

/** The message of whatever was thrown. */
export const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

/** The body of every error that the gateway makes itself. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly description: string
  readonly details?: readonly Issue[]
}

/** One thing that is wrong in a document or in a request. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the document or the Request; `""` is the whole. */
  readonly path: string
  /** One lower-case sentence: what was found, what is allowed. */
  readonly message: string
}

/** Header fields of an answer; a list is a field that is sent more than once. */
export type ErrorHeaders = Readonly<Record<string, string | readonly string[]>>

/** What an error has beside its code and its message. */
export interface ServiceErrorOptions extends ErrorOptions {
  readonly headers?: ErrorHeaders
  readonly details?: readonly Issue[]
}

/** An expected failure. Callers switch on {@link uri}; `message` is for people. */
export class ServiceError extends Error {
  readonly uri: ErrorUri
  /** Extra HTTP header fields of the answer, such as `Allow`, `WWW-Authenticate`, `Retry-After`. */
  readonly headers: ErrorHeaders
  /** What is wrong in detail, for clients; undefined where the message says all. */
  readonly details: readonly Issue[] | undefined

  constructor(uri: ErrorUri, message: string, options?: ServiceErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.uri = uri
    this.headers = options?.headers ?? {}
    this.details = options?.details
  }

  /** The HTTP status of the code. */
  get status(): number {
    return statusOfError(this.uri)
  }

  toJSON(): ErrorBody {
    const { uri: code, message, details } = this
    return { code, message, description: errors[code][1], ...(details && { details }) }
  }
}

/** Error codes of OAuth 2.0 (RFC 6749 §4.1.2.1, §5.2) ─▶ the code of the service, which gives the HTTP status. */
const oauthErrors = {
  invalid_request: 'service.error.bad_request',
  invalid_client: 'service.error.unauthorized',
  invalid_grant: 'service.error.bad_request',
  invalid_scope: 'service.error.bad_request',
  unauthorized_client: 'service.error.bad_request',
  unsupported_grant_type: 'service.error.bad_request',
  temporarily_unavailable: 'service.error.too_many_requests',
  server_error: 'service.error.internal',
} as const satisfies Record<string, ErrorUri>

/** A code that OAuth clients know. */
export type OAuthErrorCode = keyof typeof oauthErrors

/**
 * An expected failure of an OAuth2 endpoint: `{error, error_description}` for clients that go by RFC 6749, and the
 * same as `{code, message, description}`.
 */
export class OAuthError extends ServiceError {
  readonly error: OAuthErrorCode

  /**
   * @param message goes to the client as error_description: never a secret, never whether a user exists
   * @param options its `uri` is a code of the service, for its status
   */
  constructor(
    error: OAuthErrorCode,
    message: string,
    options?: ServiceErrorOptions & { readonly uri?: ErrorUri },
  ) {
    super(options?.uri ?? oauthErrors[error], message, options)
    this.error = error
  }

  /** The OAuth error for a failure of an OAuth2 endpoint; keeps its status. */
  static from(error: ServiceError): OAuthError {
    if (error instanceof OAuthError) return error
    const { uri, status, headers, message } = error
    const isBusy = status === 429 || status === 503
    const code = isBusy
      ? 'temporarily_unavailable'
      : status >= 500
        ? 'server_error'
        : 'invalid_request'
    return new OAuthError(code, message, { uri, headers, cause: error })
  }

  override toJSON(): ErrorBody & { readonly error: string; readonly error_description: string } {
    const { message, description, code } = super.toJSON()
    const { error } = this
    return {
      error,
      // RFC 6749 §5.2 allows neither quotes nor backslashes nor what is not ASCII
      error_description: message.replaceAll(/[^ !#-[\]-~]/g, "'"),
      code: error === 'temporarily_unavailable' ? code : error,
      message,
      description,
    }
  }
}

/** Ends a request whose client went away; its answer is not sent. */
export const canceled = (): ServiceError =>
  new ServiceError('wamp.error.canceled', 'the client went away')

/** How many mistakes one answer lists. */
const maxListed = 100

/** The first mistakes as clients see them, and how many more there are. */
function listed(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - maxListed
  if (more <= 0) return issues
  return [...issues.slice(0, maxListed), { path: '', message: `and ${more} more issues` }]
}

/** A document (API Specification, realm) that is refused, with everything that is wrong in it. */
export class InvalidSpecError extends ServiceError {
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[], uri: ErrorUri = 'wamp.error.invalid_argument') {
    const [first] = issues
    const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
    const message = first ? `${first.path || 'document'}: ${first.message}${rest}` : ''
    super(uri, message || 'invalid document', { details: listed(issues) })
    this.issues = issues
  }
}

/** Options of an {@link ExpressionError}. */
interface ExpressionErrorOptions extends ErrorOptions {
  readonly column?: number
  /** The failure as the log tells it, where the message does not show the document. */
  readonly detail?: string
  /** Whether the failure is owed to what the request holds or lacks (behaviour §2, stage 2). */
  readonly isOfRequest?: boolean
}

/**
 * An expression that cannot be compiled or evaluated, or whose value does not fit its place. The message never shows data:
 * of `invalid_request` it names the member of the request, of `invalid_expression` it shows the expression and a caret.
 */
export class ExpressionError extends ServiceError {
  /** Column (from 1) in the text of the template; undefined where no column applies. */
  readonly column: number | undefined
  /** For the log: the message, or the expression and its place where clients do not see them. */
  readonly detail: string

  constructor(message: string, options: ExpressionErrorOptions = {}) {
    const kind = options.isOfRequest ? 'invalid_request' : 'invalid_expression'
    super(`service.error.http_gateway.${kind}`, message, options)
    this.column = options.column
    this.detail = options.detail ?? message
  }
}
