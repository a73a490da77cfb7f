/** The addresses of a started gateway as URLs. */
import { peerName } from '#component/syntax/ip-address.ts'
import { shownRouterUrl } from '#component/wamp/routers/router-url.ts'
import { type Config, routerUrls } from './config.ts'

/** An address a listener is bound to. */
interface Address {
  readonly host: string
  readonly port: number
}

/** Where a gateway is reached. */
export interface GatewayUrls {
  /** Base addresses of the gateway listener, without a slash at the end. */
  readonly gatewayUrls: readonly string[]
  readonly adminUrls: readonly string[]
  /** Empty without `health.listen`. */
  readonly healthUrls: readonly string[]
  /** Where WAMP clients connect, without credentials and query; several routers of `wamp.url` are parted by commas. */
  readonly routerUrl: string
}

/** A listener on every address is reached by the loopback one. */
const urlAt = (scheme: string, { host, port }: Address): string =>
  `${scheme}://${peerName(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port)}`

/** The URLs of a gateway whose listeners are open. @param isSecure whether the gateway listener serves HTTPS */
export function urlsOf(
  config: Config,
  at: Readonly<Record<'admin' | 'gateway' | 'health' | 'router', readonly Address[]>>,
  isSecure: boolean,
): GatewayUrls {
  const secure = isSecure ? 's' : ''
  const [ownRouter] = at.router
  const [shared] = at.gateway
  const atGateway = shared ? `${urlAt(`ws${secure}`, shared)}/ws` : ''
  const embedded = ownRouter ? `${urlAt('ws', ownRouter)}/ws` : atGateway
  return {
    gatewayUrls: at.gateway.map((address) => urlAt(`http${secure}`, address)),
    adminUrls: at.admin.map((address) => urlAt('http', address)),
    healthUrls: at.health.map((address) => urlAt('http', address)),
    routerUrl: routerUrls(config)?.map(shownRouterUrl).join(', ') ?? embedded,
  }
}
