/** The Bearer token of a request (RFC 6750 §2.1): one text for all that look it up, which is hashed once. */
import { credentialsOf } from '#component/syntax/http-field.ts'
import type { SecuredRequest } from './scheme.ts'

type Headed = Pick<SecuredRequest, 'header'>

/** What was read last. */
const read: { request: Headed | undefined; bearer: string | undefined } = {
  request: undefined,
  bearer: undefined,
}

/** undefined: `Authorization` has no such token. */
export function bearerOf(request: Headed): string | undefined {
  if (read.request === request) return read.bearer
  read.request = request
  read.bearer = credentialsOf(request.header('authorization'), 'bearer')
  return read.bearer
}
