/** By which proxy requests leave the gateway (`egress.proxy`, `egress.no_proxy`, `proxy` of an upstream). */
import { createSecureContext, type SecureContext } from 'node:tls'
import { ServiceError } from '#component/errors.ts'
import { basicAuthorization } from '#component/syntax/basic-authorization.ts'
import { isInRanges, networksOf, readRange } from '#component/syntax/ip-address.ts'
import { type Origin, readOrigin } from '#component/syntax/upstream-origin.ts'
import { hostPolicy } from './origin.ts'

/** A proxy: its address, the credentials that it gets, and the certificates that are trusted with it. */
export interface EgressProxy {
  readonly origin: Origin
  /** The `Proxy-Authorization` of requests, at once where it is known; rejects where it cannot be read. Undefined: the proxy asks for none. */
  readonly authorization: (() => string | Promise<string>) | undefined
  /** What is trusted in TLS with it; undefined: the certificates of the system. */
  readonly secureContext: (() => Promise<SecureContext>) | undefined
}

/** Tells the proxy of an origin; undefined: it is connected to. */
export type Egress = (
  origin: Pick<Origin, 'hostname' | 'port' | 'isAddress'>,
) => EgressProxy | undefined

/** No request leaves by a proxy. */
export const direct: Egress = () => undefined

/** What a proxy that wants other credentials is told to have said (RFC 9110 §15.5.8). */
export const unauthenticated =
  'it returned 407: it does not take the user and password that the gateway has for it, or asks for some'

/** An answer 407 to a request that a proxy was asked for: it is not that of the upstream. */
export const refusedByProxy = (): ServiceError =>
  new ServiceError('service.error.bad_gateway', `the proxy passed nothing on: ${unauthenticated}`)

/** Why a text is no proxy: the end of a sentence about it; undefined: it is one. */
export function proxyProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return 'it begins with neither http:// nor https://'
  const origin = readOrigin(text)
  if ('problem' in origin) return origin.problem
  return origin.addressClass === 'forbidden'
    ? 'link-local and cloud-metadata addresses are not connected to'
    : undefined
}

/** The origin of a proxy; undefined: the text names no proxy. */
export function readProxy(text: string): Origin | undefined {
  const origin = proxyProblem(text) === undefined ? readOrigin(text) : undefined
  return origin && !('problem' in origin) ? origin : undefined
}

/** How connections leave, as the configuration says it. */
export interface EgressSettings {
  /** `http://host[:port]` or `https://host[:port]`; absent: no proxy. */
  readonly proxy?: string | undefined
  readonly proxy_username?: string | undefined
  readonly proxy_password?: unknown
  /** The certificates (PEM) that it is trusted by; absent: those of the system. */
  readonly proxy_ca?: unknown
  /** `host`, `host:port`, `*.suffix`, addresses and networks that are connected to without it. */
  readonly no_proxy: readonly string[]
}

/** The proxy of the configuration. */
export function egressBy(settings: EgressSettings): Egress {
  const { proxy: text, proxy_username, proxy_password, proxy_ca, no_proxy } = settings
  const origin = text === undefined ? undefined : readProxy(text)
  if (origin === undefined) return direct
  const authorization = basicAuthorization(proxy_username ?? '', String(proxy_password ?? ''))
  const secureContext =
    proxy_ca === undefined ? undefined : createSecureContext({ ca: String(proxy_ca) })
  const proxy: EgressProxy = {
    origin,
    authorization: proxy_username === undefined ? undefined : () => authorization,
    secureContext: secureContext && (async () => secureContext),
  }
  const networks = networksOf(no_proxy.filter((entry) => readRange(entry) !== undefined))
  const names = hostPolicy(no_proxy.filter((entry) => readRange(entry) === undefined))
  return (to) => {
    if (to.isAddress && isInRanges(to.hostname, networks)) return undefined
    return names.allows(to) ? undefined : proxy
  }
}
