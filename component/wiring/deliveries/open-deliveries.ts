/** Opens what sends deliveries, to the endpoints of documents and to those of users. */
import { randomBytes } from 'node:crypto'
import { egressBy } from '#component/action/connections/egress.ts'
import { Upstreams } from '#component/action/connections/upstreams.ts'
import type { EndpointRequest } from '#component/action/delivery-endpoint/perform.ts'
import { type ForwardPorts, forwardAction } from '#component/action/forward/perform.ts'
import { EndpointDesk } from '#component/delivery/endpoints/endpoint-desk.ts'
import { endpointHosts } from '#component/delivery/endpoints/public-hosts.ts'
import { Signers } from '#component/delivery/requests/signers.ts'
import type { Endpoint } from '#component/delivery/types.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { userJudge } from '#component/wiring/policy.ts'
import { upstreamOrigins } from '#component/wiring/upstream-origins.ts'
import { Deliveries } from './deliveries.ts'

/** What a process has of deliveries. */
interface OpenedDeliveries {
  readonly deliveries: Deliveries
  /** What users do with their endpoints. */
  readonly desk: EndpointDesk
  /** Ends the connections to endpoints of users. */
  closeDeliveries(): Promise<void>
}

/** Nothing is sent before there is an outbox. */
export function openDeliveries(context: WiringContext, forwarding: ForwardPorts): OpenedDeliveries {
  const { clock, config, log, users } = context
  const { endpoints: book, realms } = users
  const hosts = endpointHosts(config.deliveries.endpoint_hosts)
  const judge = userJudge(context)
  const mayHear = ({ realm_uri, owner }: Pick<Endpoint, 'realm_uri' | 'owner'>, topic: string) =>
    judge({ realm_uri, ...owner }, 'subscribe', topic) !== undefined
  const connections = new Upstreams(clock, hosts.reached, { egress: egressBy(config.egress) })
  const toUsers = forwardAction({ ...forwarding, connections, hosts: hosts.reached })
  const sending = {
    // its attempts are those of deliveries, which have metrics of their own
    perform: forwardAction(forwarding).perform,
    signers: new Signers({ realms, clock }),
    upstreamOrigins: (realm_uri: string, name: string) => upstreamOrigins(realms, realm_uri, name),
    codec: forwarding.codec,
    random: Math.random,
    ofUsers: {
      perform: toUsers.perform,
      hosts: hosts.listed,
      secrets: (endpoint: string) => book.secrets(endpoint),
      mayHear,
    },
  }
  const deliveries = new Deliveries(sending, book)
  const desk = new EndpointDesk({
    ...{ book, clock, log, mayHear, hosts: hosts.listed },
    newId: () => randomBytes(16).toString('base64url'),
    declared: (ref) => deliveries.declared(ref),
    outbox: () => deliveries.outbox,
  })
  return { deliveries, desk, closeDeliveries: () => connections.close() }
}

/** What the action `delivery_endpoint` asks of the desk. */
export function managed(
  desk: EndpointDesk,
  { verb, identity, given, realm_uri, api_spec, name }: EndpointRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { authid, authmethod, authroles } = identity
  return desk[verb]({ realm_uri, api_spec, name }, { authid, authmethod, authroles }, given)
}
