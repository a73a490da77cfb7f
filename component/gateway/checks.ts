/** The checks between a matched route and its action, in the order of behaviour §3, and the body they let in. */
import { ServiceError } from '#component/errors.ts'
import { type IdempotencyPlan, keyMethods } from '#component/policy/idempotency.ts'
import type { Method } from '#component/request.ts'
import { isInRanges } from '#component/syntax/ip-address.ts'
import { charsetOf, isUtf8Type } from '#component/syntax/media-type.ts'
import type {
  AdmittedNetworks,
  CompiledOperation,
  CompiledVersion,
  InheritedValues,
} from './api.ts'
import { noBody } from './context.ts'
import type { Content, Exchange } from './exchange.ts'

/** Methods whose body is checked even when no expression reads it. */
export const bodyMethods: ReadonlySet<Method> = new Set(['post', 'put', 'patch'])

/** What holds for requests of a method with an Idempotency-Key; undefined where the key means nothing. */
export const idempotencyOf = (
  { policies }: InheritedValues,
  method: Method,
): IdempotencyPlan | undefined => (keyMethods.has(method) ? policies?.idempotency : undefined)

/** 405 with `Allow`. */
export const methodNotAllowed = (allow: string): ServiceError =>
  new ServiceError('service.error.method_not_allowed', 'the path does not serve this method', {
    headers: { allow },
  })

/** 403 for plain http where `schemes` does not name it; https is admitted wherever http is. */
function checkScheme(exchange: Exchange, { admitsHttp }: InheritedValues): void {
  if (admitsHttp || exchange.scheme === 'https') return
  throw new ServiceError('wamp.error.not_authorized', 'the path is served over https only')
}

/** Whether each list has the address. */
export const isAdmittedFrom = (address: string, lists: readonly AdmittedNetworks[]): boolean =>
  lists.every(({ ranges }) => isInRanges(address, ranges))

/** Whether {@link checkOrigin} lets a request pass. */
export const isAdmitted = (
  exchange: Exchange,
  { admitsHttp, allowFrom }: InheritedValues,
): boolean =>
  (admitsHttp || exchange.scheme === 'https') &&
  (allowFrom === undefined || isAdmittedFrom(exchange.client, allowFrom))

/** 403 for plain http where it is not served, and for clients outside of `allow_from`. */
export function checkOrigin(exchange: Exchange, inherited: InheritedValues): void {
  checkScheme(exchange, inherited)
  const { allowFrom } = inherited
  if (allowFrom === undefined || isAdmittedFrom(exchange.client, allowFrom)) return
  const message = 'the path is not served to the network of the client'
  throw new ServiceError('wamp.error.not_authorized', message)
}

/** The media type of a success; undefined where nothing is negotiated. 406. */
export function negotiateType(
  exchange: Exchange,
  { negotiated, streams }: CompiledOperation,
): string | undefined {
  if (negotiated === undefined) return undefined
  // who has no preference gets the stream that the operation declares
  const first = streams?.kind === 'events' ? negotiated[0] : undefined
  const type = exchange.negotiate(negotiated, first)
  if (type !== undefined) return type
  throw new ServiceError(
    'service.error.not_acceptable',
    `expected an Accept header that allows ${negotiated.join(' or ')}`,
  )
}

/** Falls back to the first language; a request is never refused for its language. */
export const negotiateLanguage = (exchange: Exchange, { languages }: CompiledVersion): string =>
  languages.length > 1 ? exchange.negotiateLanguage(languages) : (languages[0] ?? 'en')

/** Names of charsets (RFC 2978 §2.3), without quotes. */
const charsetName = /^"?([\w!#$%&'+^`{}~-]{1,40})"?$/

/** The beginning of the message of a 415: which charset is not read; `""` where it is not the charset. */
function charsetProblem(type: string): string {
  if (isUtf8Type(type)) return ''
  const name = charsetName.exec(charsetOf(type) ?? '')?.[1]
  return `${name === undefined ? 'the charset' : `the charset ${name}`} is not read, only utf-8: `
}

/** 415 where `accepts` binds the request; 413 by its Content-Length where the gateway does not read, and count, the body. */
function checkContent(exchange: Exchange, operation: CompiledOperation): void {
  const { inherited, checksType, readsBody } = operation
  const { limits } = inherited
  if (checksType && !exchange.isAccepted(inherited.accepts)) {
    const wanted = `expected a body of type ${inherited.accepts.join(' or ')}`
    const message = `${charsetProblem(exchange.header('content-type') ?? '')}${wanted}`
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  if (readsBody || Number(exchange.header('content-length') ?? 0) <= limits.body_max_bytes) return
  throw new ServiceError(
    'service.error.payload_too_large',
    `expected a body of at most ${limits.body_max_bytes} bytes`,
  )
}

/**
 * The body, decoded where it is read, with its bytes where they are kept: 415, 413, 408, 400.
 * @param onBytes is given the body before it is decoded
 */
export function readContent(
  exchange: Exchange,
  operation: CompiledOperation,
  onBytes?: (bytes: Uint8Array) => void,
): Content | Promise<Content> {
  const { readsBody, keepsBody, inherited } = operation
  const { limits } = inherited
  if (bodyMethods.has(exchange.method)) checkContent(exchange, operation)
  if (readsBody && exchange.method !== 'options') {
    return exchange.readBody(limits, onBytes, keepsBody)
  }
  return keepsBody ? exchange.readBytes(limits).then(undecoded) : noBody
}

const undecoded = (bytes: Uint8Array): Content => ({
  ...noBody,
  held: { bytes, isInflated: false },
})
