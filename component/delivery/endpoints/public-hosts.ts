/** Where requests to users' own endpoints may go: any public address, and the hosts that the configuration lists. */
import { type HostPolicy, hostPolicy } from '#component/action/connections/origin.ts'

/** How endpoints are judged: `listed` where they are added, `reached` where they are connected to. */
export interface EndpointHosts {
  /** `deliveries.endpoint_hosts`. */
  readonly listed: HostPolicy
  /** Any host by its name; private addresses only as listed. */
  readonly reached: HostPolicy
}

/** @param entries `host`, `host:port` or `*.suffix` */
export function endpointHosts(entries: readonly string[]): EndpointHosts {
  const listed = hostPolicy(entries, 'deliveries.endpoint_hosts')
  return { listed, reached: { ...listed, allows: () => true } }
}
