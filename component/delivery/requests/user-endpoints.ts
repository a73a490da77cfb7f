/** The deliveries to endpoints that users have added: each to its own place, signed by its own secret, as long as its owner may have the event. */

import { type EndpointUrl, readEndpointUrl } from '#component/delivery/endpoints/endpoint-url.ts'
import type {
  DeliveredEvent,
  Delivery,
  DeliveryAttempt,
  DeliveryFailure,
  DeliveryGap,
  DeliveryRequest,
  Endpoint,
} from '#component/delivery/types.ts'
import { constant } from '#component/expression/nodes.ts'
import { HmacKey } from '#component/security/webhook/hmac.ts'
import { readSigningSecret } from '#component/syntax/webhook-secret.ts'
import {
  DeliveryRendering,
  deliveryBy,
  type RenderedRequest,
  type SendingPorts,
  send,
  type Way,
} from './compiled-delivery.ts'
import type { DeliveryPlan } from './plan.ts'
import { type SigningKey, signatureFields } from './signature.ts'
import type { UserSendingPorts } from './user-sending.ts'

const keysOf = (secrets: readonly string[]): readonly SigningKey[] =>
  secrets.flatMap((text) => {
    const secret = readSigningSecret(text)
    return secret?.kind === 'hmac'
      ? [{ kind: 'hmac' as const, key: new HmacKey('sha256', secret.bytes) }]
      : []
  })

/** Makes a request of an event or a gap. */
type Asked<T> = (subject: T, attempt: DeliveryAttempt) => DeliveryRequest | DeliveryFailure

const noGrant = 'the owner of the endpoint may not subscribe to the topic'

/** Signs by the secrets of an endpoint. */
const wayTo = ({ endpoint }: Endpoint, { perform, secrets }: UserSendingPorts): Way => ({
  perform,
  sign({ body }, name) {
    const keys = keysOf(secrets(endpoint))
    if (keys.length > 0)
      return { fields: signatureFields({ scheme: 'standard' }, keys, name, body) }
    const error = 'the endpoint was removed, or its secret was sealed with another store.key'
    return { kept: { error, isRefused: true } }
  },
})

/** The plan of one endpoint; a text: why nothing may be sent there. */
function planTo(plan: DeliveryPlan, url: EndpointUrl | string): DeliveryPlan {
  const { origin, path } = typeof url === 'string' ? { origin: '', path: '/' } : url
  return { ...plan, target: { kind: 'host', origin, path: constant(path) } }
}

function deliveryTo(plan: DeliveryPlan, endpoint: Endpoint, ports: SendingPorts): Delivery {
  const { ofUsers } = ports
  const url = readEndpointUrl(endpoint.url, ofUsers.hosts)
  const own = planTo(plan, url)
  const rendering = new DeliveryRendering(own, ports, endpoint.owner.authid)
  const made = deliveryBy(own, rendering, wayTo(endpoint, ofUsers))
  const { gapRequest } = made
  const whyNot = (topic: string): string | undefined => {
    if (typeof url === 'string') return `the URL of the endpoint: ${url}`
    return ofUsers.mayHear(endpoint, topic) ? undefined : noGrant
  }
  /** By an event or gap, what is asked of the document unless nothing may be sent. */
  const unlessRefused =
    <T>(topicOf: (subject: T) => string, ask: Asked<T>): Asked<T> =>
    (subject, attempt) => {
      const failed = whyNot(topicOf(subject))
      return failed === undefined ? ask(subject, attempt) : { failed, isRefused: true }
    }
  return {
    ...made,
    endpoint: endpoint.endpoint,
    admit: (event) =>
      ofUsers.mayHear(endpoint, event.topic) ? made.admit(event) : { isWanted: false },
    request: unlessRefused(({ topic }: DeliveredEvent) => topic, made.request),
    ...(gapRequest && { gapRequest: unlessRefused((_gap: DeliveryGap) => plan.topic, gapRequest) }),
  }
}

/** What a ping says. */
const pingBody = (now: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'ping', timestamp: new Date(now).toISOString(), data: {} }))

async function ping(
  plan: DeliveryPlan,
  endpoint: Endpoint,
  attempt: DeliveryAttempt,
  { ofUsers }: SendingPorts,
) {
  const url = readEndpointUrl(endpoint.url, ofUsers.hosts)
  if (typeof url === 'string') return { error: `url: ${url}`, isRefused: true }
  const rendered: RenderedRequest = {
    ...{ method: plan.method, origin: url.origin, upstream: undefined, isHostComputed: true },
    ...{ path: url.path, headers: { 'content-type': 'application/json' } },
    body: pingBody(attempt.now),
  }
  const { signal } = new AbortController()
  return await send(plan, rendered, attempt, signal, wayTo(endpoint, ofUsers))
}

/** Makes the delivery as a whole, which sends nothing by itself. */
export function deliveryOfUsers(
  plan: DeliveryPlan,
  perUser: number,
  ports: SendingPorts,
): Delivery {
  const failed = 'users add the endpoints of the delivery'
  return {
    ...{ realm_uri: plan.realm_uri, api_spec: plan.api_spec, name: plan.name },
    ...{ topic: plan.topic, match: plan.match, isActive: plan.isActive, limits: plan.limits },
    admit: () => ({ isWanted: false }),
    request: () => ({ failed }),
    endpoints: {
      perUser,
      of: (endpoint) => deliveryTo(plan, endpoint, ports),
      ping: (endpoint, attempt) => ping(plan, endpoint, attempt, ports),
    },
  }
}
