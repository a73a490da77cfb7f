/** Which error URI the caller of a procedure gets. */
import type { ErrorUri } from '#component/errors.ts'
import type { ErrorUris } from '#component/gateway/procedure-plan.ts'

/** What callers of procedures know errors of requests by. */
const ofCallers: Partial<Record<ErrorUri, string>> = {
  'service.error.http_gateway.invalid_request': 'wamp.error.invalid_argument',
  'service.error.bad_request': 'wamp.error.invalid_argument',
  'service.error.validation_failed': 'wamp.error.invalid_argument',
  'service.error.unauthorized': 'wamp.error.not_authorized',
  'service.error.payload_too_large': 'wamp.error.payload_size_exceeded',
}

/** An error that the gateway makes itself. */
export const uriOfError = (uri: ErrorUri): string => ofCallers[uri] ?? uri

/** Statuses of upstreams (RFC 9110 §15) that a WAMP peer has a word for. */
const usual: Readonly<Record<number, string>> = {
  400: 'wamp.error.invalid_argument',
  401: 'wamp.error.not_authorized',
  403: 'wamp.error.not_authorized',
  404: 'service.error.not_found',
  408: 'service.error.timeout',
  409: 'service.error.conflict',
  410: 'service.error.not_found',
  412: 'service.error.conflict',
  413: 'wamp.error.payload_size_exceeded',
  422: 'wamp.error.invalid_argument',
  429: 'service.error.too_many_requests',
  501: 'service.error.not_implemented',
  503: 'service.error.unavailable',
  504: 'service.error.timeout',
}

/** The error of an upstream's answer. */
export function uriOfStatus(status: number, { declared, ofStatus }: ErrorUris): string {
  const [ofClass, other] =
    status < 500 ? ['4XX', 'wamp.error.invalid_argument'] : ['5XX', 'service.error.bad_gateway']
  return (
    declared.get(String(status)) ??
    declared.get(ofClass as string) ??
    ofStatus.get(status) ??
    usual[status] ??
    (other as string)
  )
}
