/** Who may manage, and with which configuration nothing must be served: rules over the configuration and over one request (behaviour: Management). */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ServiceError } from '#component/errors.ts'
import { type HttpOptions, parseListen } from './options.ts'
import { isLoopback, TrustedProxies } from './peer.ts'

/** What the rules see of a request. */
export interface ManagementRequest {
  /** The socket's other end, whatever proxies say. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** Has it a body whose type must be JSON? */
  readonly isWrite: boolean
}

const localNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Fields that only proxies add: then the peer is not who asks. */
const isProxyField = (name: string): boolean =>
  name === 'forwarded' || name === 'via' || name === 'x-real-ip' || name.startsWith('x-forwarded-')

/** The host of a Host field or of an origin behind its scheme, without port; lower case. */
function withoutPort(authority: string): string {
  const end = authority.lastIndexOf(':')
  return (end > authority.lastIndexOf(']') ? authority.slice(0, end) : authority).toLowerCase()
}

/** Do the addresses of a listener all lie on loopback? */
export const isLoopbackOnly = (listen: HttpOptions['gateway']['listen']): boolean =>
  parseListen(listen).every(({ host }) => isLoopback(host))

/** Is the page that a request comes from of this very origin? Absent: it comes from no page. */
export function isOwnOrigin(headers: Readonly<Record<string, string>>): boolean {
  const { origin, host = '' } = headers
  if (origin === undefined) return true
  const scheme = origin.indexOf('://')
  return scheme > 0 && origin.slice(scheme + 3).toLowerCase() === host.toLowerCase()
}

/** Is there a trace of a proxy? Then the peer of the socket is not who asks. */
export const hasProxyFields = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some(isProxyField)

/** Was this machine asked by a name of its loopback? Another name may have been pointed at it (DNS rebinding). */
export const hasLocalHost = ({ host = '' }: Readonly<Record<string, string>>): boolean =>
  localNames.has(withoutPort(host))

/**
 * Why a request may not manage; undefined when it may. Credentials are not served yet, so that only local requests may:
 * peer and Host loopback, and no trace of a proxy.
 */
export function managementRefusal(request: ManagementRequest): ServiceError | undefined {
  const { address, headers, isWrite } = request
  if (!isOwnOrigin(headers)) {
    return new ServiceError('wamp.error.not_authorized', 'pages of other origins may not manage')
  }
  const isLocal = isLoopback(address) && hasLocalHost(headers) && !hasProxyFields(headers)
  if (!isLocal) {
    return new ServiceError(
      'service.error.unauthorized',
      'management without credentials is for local requests only',
      { headers: { 'www-authenticate': 'Bearer realm="management"' } },
    )
  }
  if (isWrite && !isJson(headers['content-type'])) {
    const message = 'management reads application/json only'
    return new ServiceError('service.error.unsupported_media_type', message)
  }
  return undefined
}

const isJson = (type: string | undefined) =>
  type?.split(';')[0]?.trim().toLowerCase() === 'application/json'

/** Does the gateway listener serve management, too (`admin.share_gateway_listener`)? */
export function sharesGatewayListener({ admin, gateway }: HttpOptions): boolean {
  if (admin.share_gateway_listener !== 'auto') return admin.share_gateway_listener === true
  return (
    isLoopbackOnly(gateway.listen) &&
    gateway.public_base_url === undefined &&
    gateway.trusted_proxies.length === 0 &&
    gateway.tls === undefined
  )
}

/** Why the process must not start with this configuration (exit 78); undefined when it may. */
export function refusalToStart({ admin, gateway, router }: HttpOptions): string | undefined {
  const problem =
    unusable('gateway.listen', () => parseListen(gateway.listen)) ??
    unusable('admin.listen', () => parseListen(admin.listen)) ??
    unusable('router.listen', () => parseListen(router.listen ?? [])) ??
    unusable('gateway.trusted_proxies', () => new TrustedProxies(gateway.trusted_proxies)) ??
    unusable('gateway.tls', () => readTls(gateway.tls))
  if (problem !== undefined || isLoopbackOnly(admin.listen)) return problem
  return 'admin.listen: it must be a loopback address, because no credentials for management are configured'
}

/** What is wrong with a value of the configuration, by the name of the option. */
function unusable(option: string, read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return `option "${option}": ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A certificate that cannot be read is found before anything is opened. */
function readTls(tls: HttpOptions['gateway']['tls']): void {
  if (tls) createSecureContext({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) })
}
