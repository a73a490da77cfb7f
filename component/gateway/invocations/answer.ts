/** What a caller of a procedure gets: the reply of the stages as the arguments of a YIELD or an ERROR. */
import type { ServiceError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { uriOfError } from './error-uris.ts'
import { InputMismatch } from './input.ts'
import { yieldType } from './invocation.ts'
import type { Yielded } from './yielding.ts'

/** Reads what was encoded. @throws for what is no value of the type */
export type Decode = (type: string, bytes: Uint8Array) => unknown

/** The arguments for the caller. */
export function yieldedOf({ body, error, headers }: Reply, decode: Decode): Yielded {
  if (error) return errorOf(error, headers)
  const value =
    body.kind === 'value'
      ? body.value
      : body.kind === 'bytes'
        ? decode(yieldType, Buffer.from(body.bytes as Uint8Array))
        : { args: [], kwargs: {} }
  const yielded = value as Yielded
  if (yielded.error_uri === undefined) return yielded
  return { ...yielded, kwargs: withRetry(yielded.kwargs, headers) }
}

function errorOf(error: ServiceError, headers: Reply['headers']): Yielded {
  const { code: _, details: _details, ...told } = error.toJSON()
  const error_uri = uriOfError(error.uri)
  const errors = error instanceof InputMismatch ? error.errors : error.details
  const kwargs = { code: error_uri, ...told, ...(errors && { errors }) }
  return { error_uri, args: [error.message], kwargs: withRetry(kwargs, headers) }
}

/** Refusals tell when to come back; seconds. */
function withRetry(kwargs: Yielded['kwargs'], headers: Reply['headers']): Yielded['kwargs'] {
  const after = Number(headers['retry-after'] ?? Number.NaN)
  if (!Number.isFinite(after) || 'retry_after' in kwargs) return kwargs
  return { ...kwargs, retry_after: after }
}
