/** Access to management, and the configurations that must not be served (behaviour: Management). */

import { tlsFilesOf } from '#component/config/tls-files.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { RefusedLogin } from '#component/login-refusal.ts'
import type { Operators } from '#component/security/operators.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { isLoopback } from '#component/syntax/ip-address.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import { hasLocalHost, hasProxyFields, isOwnOrigin } from '#component/syntax/page-origin.ts'
import { type HttpOptions, parseListen } from '#http/options.ts'
import { TrustedProxies } from '#http/peer.ts'
import { readTls } from '#http/tls/tls-setup.ts'
import type { Caller } from '#procedures/definition/procedure.ts'

/** The parts of a request that the rules read. */
export interface ManagementRequest {
  /** Address of the socket's peer, regardless of proxies. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** `ip:port` of the client, for the log. */
  readonly peername: string
}

/** Dependencies of {@link admit}. */
export interface Admission {
  readonly operators: Pick<Operators, 'authenticate'>
  /** Whether local requests without credentials may manage everything. */
  readonly trustsLocal: boolean
}

/** Whether all addresses of a listener are loopback addresses. */
export const isLoopbackOnly = (listen: HttpOptions['gateway']['listen']): boolean =>
  parseListen(listen).every(({ host }) => host === 'localhost' || isLoopback(host))

const challenge = 'Bearer realm="management"'

/**
 * RFC 6750 §3.1; the message does not repeat the credentials.
 * @param cause for the log
 */
const badCredentials = (cause: RefusedLogin) =>
  new ServiceError('service.error.unauthorized', 'the credentials are not valid for management', {
    headers: {
      'www-authenticate': `${challenge}, error="invalid_token", error_description="the credentials are not valid for management"`,
    },
    cause,
  })

const notBearer = new RefusedLogin({
  authmethod: 'bearer',
  reason: 'the Authorization field is not of the form "Bearer …"',
})

const noCredentials = (trustsLocal: boolean) =>
  new ServiceError(
    'service.error.unauthorized',
    trustsLocal
      ? 'management without credentials is allowed for local requests only'
      : 'management requires credentials',
    { headers: { 'www-authenticate': challenge } },
  )

/**
 * The caller and its rights: those of its credentials, or without credentials every right for a trusted local request. Local:
 * peer and Host are loopback, and no proxy field is present.
 * @throws ServiceError 403 for a page of another origin, 401 with `WWW-Authenticate`
 */
export async function admit(
  { address, headers, peername }: ManagementRequest,
  { operators, trustsLocal }: Admission,
): Promise<Caller> {
  if (!isOwnOrigin(headers)) {
    const message = 'pages of other origins may not use management'
    throw new ServiceError('wamp.error.not_authorized', message)
  }
  const { authorization } = headers
  if (authorization !== undefined) {
    const text = credentialsOf(authorization, 'bearer')
    const operator = text === undefined ? notBearer : await operators.authenticate(text)
    if (operator instanceof RefusedLogin) throw badCredentials(operator)
    const { access, within, ...user } = operator
    const by = `${user.authid}@${user.realm_uri}`
    return { by, user, access, ...(within !== undefined && { within }) }
  }
  const isLocal = isLoopback(address) && hasLocalHost(headers) && !hasProxyFields(headers)
  if (!isLocal || !trustsLocal) throw noCredentials(trustsLocal)
  return { by: `local ${peername}`, access: 'load' }
}

/** The same for callers who may at least see things. @throws ServiceError 403 for the others, and what {@link admit} throws */
export async function admitReader(request: ManagementRequest, to: Admission): Promise<Caller> {
  const caller = await admit(request, to)
  if (caller.access !== undefined) return caller
  const message = 'this requires the role spec_loader or spec_reader'
  throw new ServiceError('wamp.error.not_authorized', message)
}

/** Refuses a body that is not JSON: pages can send other types without a CORS preflight. @throws ServiceError 415 */
export function checkJson(headers: Readonly<Record<string, string>>): void {
  if (essenceOf(headers['content-type'] ?? '') === 'application/json') return
  const message = 'management accepts application/json only'
  throw new ServiceError('service.error.unsupported_media_type', message)
}

/** Whether only this machine can reach the gateway listener, according to the configuration. */
const isPrivate = ({ gateway }: HttpOptions): boolean =>
  isLoopbackOnly(gateway.listen) &&
  gateway.public_base_url === undefined &&
  gateway.trusted_proxies.length === 0 &&
  gateway.tls === undefined

/** Whether the gateway listener serves management, too (`admin.share_gateway_listener`). */
export function sharesGatewayListener(options: HttpOptions): boolean {
  const { realm, share_gateway_listener } = options.admin
  if (share_gateway_listener !== 'auto') return share_gateway_listener === true
  return realm !== undefined || isPrivate(options)
}

/**
 * Whether local requests may manage without credentials on the gateway listener. Where `admin.realm` is set, only while no
 * proxy can be in front of it: a proxy would make remote clients look local.
 */
export const trustsLocalRequests = (options: HttpOptions): boolean =>
  options.admin.realm === undefined || isPrivate(options)

/** The reasons to refuse the start with this configuration (exit 78), a sentence each. */
export function refusalsToStart({ admin, gateway, health, router }: HttpOptions): string[] {
  const unread = [
    unusable('gateway.listen', () => parseListen(gateway.listen)),
    unusable('admin.listen', () => parseListen(admin.listen)),
    unusable('health.listen', () => parseListen(health.listen ?? [])),
    unusable('router.listen', () => parseListen(router.listen ?? [])),
    unusable('gateway.trusted_proxies', () => new TrustedProxies(gateway.trusted_proxies)),
    unusable('gateway.tls', () => readTlsOf(gateway)),
  ].filter((problem) => problem !== undefined)
  if (unread.length > 0 || admin.realm !== undefined || isLoopbackOnly(admin.listen)) return unread
  return [
    'admin.listen: it must be a loopback address unless admin.realm names the realm whose users may manage',
  ]
}

/** @throws Error when `gateway.tls` cannot be used */
function readTlsOf({ tls, trusted_proxies }: HttpOptions['gateway']): void {
  const files = tlsFilesOf(tls)
  if (files === undefined) return
  readTls(files)
  if (files.certificates.length > 0 || trusted_proxies.length > 0) return
  throw new TypeError('client_ca without a certificate needs gateway.trusted_proxies')
}

/** The problem of an option's value; undefined when it can be read. */
function unusable(option: string, read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return `option "${option}": ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Tells that management on the gateway listener trusts local requests: a hint where only this machine reaches it, else a warning. */
export function warnOfSharing(options: HttpOptions, log: Pick<Log, 'debug' | 'warn'>): void {
  log[isPrivate(options) ? 'debug' : 'warn'](
    { setting: 'admin.share_gateway_listener' },
    'the gateway listener serves management to local requests: a proxy in front of it that does not add X-Forwarded-For would expose management',
  )
}
