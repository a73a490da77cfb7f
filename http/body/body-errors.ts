/** Why a body is not read to its end. */
import { ServiceError } from '#component/errors.ts'

export const tooLarge = () =>
  new ServiceError('service.error.payload_too_large', 'the body is larger than allowed')
export const tooSlow = () =>
  new ServiceError('service.error.request_timeout', 'the body did not arrive in time')
export const gone = (cause?: unknown) =>
  new ServiceError('service.error.bad_request', 'the body ended too early', { cause })

/** Ignores the `error` of an aborted request: its `close` reports the same. */
export const ignore = () => undefined
