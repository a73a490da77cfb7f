/** By which proxy requests leave the gateway (`egress.proxy`, `egress.no_proxy`, `proxy` of an upstream). */
import { isInRanges, networksOf, readRange } from '#component/syntax/ip-address.ts'
import { type Origin, readOrigin } from '#component/syntax/upstream-origin.ts'
import { hostPolicy } from './origin.ts'

/** Tells the proxy of an origin; undefined: it is connected to. */
export type Egress = (origin: Pick<Origin, 'hostname' | 'port' | 'isAddress'>) => Origin | undefined

/** No request leaves by a proxy. */
export const direct: Egress = () => undefined

/** Why a text is no proxy: the end of a sentence about it; undefined: it is one. */
export function proxyProblem(text: string): string | undefined {
  if (!text.toLowerCase().startsWith('http://')) return 'it does not begin with http://'
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

/**
 * The proxy of the configuration.
 * @param proxy `http://host[:port]`; undefined: none
 * @param exempt `host`, `host:port`, `*.suffix`, addresses and networks that are connected to without it
 */
export function egressBy(proxy: string | undefined, exempt: readonly string[]): Egress {
  const origin = proxy === undefined ? undefined : readProxy(proxy)
  if (origin === undefined) return direct
  const networks = networksOf(exempt.filter((entry) => readRange(entry) !== undefined))
  const names = hostPolicy(exempt.filter((entry) => readRange(entry) === undefined))
  return (to) => {
    if (to.isAddress && isInRanges(to.hostname, networks)) return undefined
    return names.allows(to) ? undefined : origin
  }
}
