/** The settings of this gateway for rehearsals, which answer requests and perform nothing: those of examples, and those of explanations. */
import { hostPolicy } from '#component/action/connections/origin.ts'
import type { Config } from '#component/config/config.ts'
import type { RehearsalPorts } from '#component/explain/rehearsal.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { publicPath } from '#http/oidc/public-address.ts'
import { TrustedProxies } from '#http/peer.ts'
import { rehearsedHttp } from '#http/rehearsal/rehearsed-http.ts'

/** @param viaName the name of this gateway in `Via` */
export function rehearsalPorts(
  { gateway, forward, wamp }: Pick<Config, 'gateway' | 'forward' | 'wamp'>,
  viaName: string,
): RehearsalPorts {
  const { trusted_proxies, forwarded_header, cors, public_base_url } = gateway
  return {
    http: rehearsedHttp(new TrustedProxies(trusted_proxies, forwarded_header)),
    codec: { decode: decodeBody, encode: encodeBody },
    hosts: hostPolicy(forward.allowed_hosts),
    allowedDynamicUris: wamp.allowed_dynamic_uris,
    identity: wamp.identity,
    ...{ viaName, cors },
    publicPath: publicPath(public_base_url ?? ''),
  }
}

/** The same for explanations: they tell rate limits, and a message that would have a trace context shows where. */
export const explanationPorts = (
  config: Parameters<typeof rehearsalPorts>[0] & Pick<Config, 'telemetry'>,
  viaName: string,
): RehearsalPorts => ({
  ...rehearsalPorts(config, viaName),
  tellsLimits: true,
  marksTraceContext: config.telemetry.traces !== 'off',
})
