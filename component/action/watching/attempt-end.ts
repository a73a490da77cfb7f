/** How an attempt ended, in the words of those who watch it. */
import { ServiceError } from '#component/errors.ts'
import { WampError } from '#component/wamp/session.ts'

/** What a watch sees of an outcome. */
export interface AttemptEnd {
  readonly error?: { readonly error_uri: string }
  /** Present where the gateway made the error itself. */
  readonly reason?: string | undefined
  /** Of an upstream. */
  readonly answer?: { readonly status_code: number }
}

/** The end of an attempt that has thrown. */
export function endOf(failure: unknown): AttemptEnd {
  if (failure instanceof WampError) return { error: failure, reason: failure.reason }
  const error_uri = failure instanceof ServiceError ? failure.uri : 'service.error.internal'
  return { error: { error_uri }, reason: 'the attempt failed' }
}
