/** The procedures for deliveries: what waits and why, and what operators do about it. Payloads are told to those who may load alone. */
import {
  type Delivery,
  type DeliveryRef,
  type DeliveryStatus,
  type EventSelection,
  type EventState,
  eventStates,
  type HandedEvent,
} from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import {
  type Caller,
  type Management,
  type Procedure,
  texts,
} from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

const path = '/api_specs/:id/deliveries/:name'

/** Events of a page, where the caller does not say it, and at most. */
const [usualLimit, maxLimit] = [100, 1_000]

/** Ids of one call. */
const maxIds = 1_000

const refuse = (message: string) => new ServiceError('wamp.error.invalid_argument', message)

/** The status of a delivery. While a document declares the delivery, the status has its topic, and says whether its endpoints belong to users. */
function rowOf(status: DeliveryStatus, declared: readonly Delivery[]) {
  const found = declared.find((one) => isSame(one, status))
  const has_endpoints = found?.endpoints !== undefined
  return { ...status, topic: found?.topic ?? null, match: found?.match ?? null, has_endpoints }
}

const isSame = (one: DeliveryRef, other: DeliveryRef): boolean =>
  one.realm_uri === other.realm_uri && one.api_spec === other.api_spec && one.name === other.name

/** The deliveries that a caller may see. @param id undefined: those of all documents */
async function seenBy(
  { deliveries }: Management,
  { within }: Caller,
  id: unknown,
): Promise<readonly DeliveryStatus[]> {
  const all = await deliveries.outbox.list()
  return all.filter(
    ({ api_spec, realm_uri }) =>
      (id === undefined || api_spec === id) && (within === undefined || realm_uri === within),
  )
}

/**
 * A delivery of a document, also of one that is gone and has left events.
 * @throws ServiceError `service.error.not_found`; `wamp.error.not_authorized` for one of another realm
 */
async function find(
  { deliveries }: Management,
  caller: Caller,
  [id, name]: readonly unknown[],
): Promise<DeliveryStatus> {
  const all = await deliveries.outbox.list()
  const found = all.find((one) => one.api_spec === id && one.name === name)
  if (found) checkRealm(found.realm_uri, caller)
  if (found) return found
  throw new ServiceError('service.error.not_found', 'there is no such delivery')
}

/** The same, or the endpoint of a user at it. @throws ServiceError also `service.error.not_found` for an endpoint that is not there */
async function findAt(
  management: Management,
  caller: Caller,
  names: readonly unknown[],
  endpoint: unknown,
): Promise<DeliveryStatus> {
  const row = await find(management, caller, names)
  if (endpoint === undefined) return row
  const [found] = await management.deliveries.outbox.endpoints(row, [String(endpoint)])
  if (found) return found
  throw new ServiceError('service.error.not_found', 'the delivery has no such endpoint')
}

/** @throws ServiceError for a text that names no state */
function readState(state: unknown): EventState | undefined {
  const found = eventStates.find((one) => one === state)
  if (state === undefined || found) return found
  throw refuse(`state: expected one of ${eventStates.join(', ')}`)
}

function readLimit(limit: unknown): number {
  const value = limit === undefined ? usualLimit : Number(limit)
  if (Number.isInteger(value) && value >= 1 && value <= maxLimit) return value
  throw refuse(`limit: expected an integer from 1 to ${maxLimit}`)
}

/** @throws ServiceError unless exactly one of them is there */
function readSelection(ids: unknown, state: unknown): EventSelection {
  const known = readState(state)
  const webhook_ids = Array.isArray(ids) ? ids.map(String) : []
  if (webhook_ids.length > maxIds) throw refuse(`webhook_ids: expected at most ${maxIds}`)
  if ((ids === undefined) === (known === undefined)) {
    throw refuse('expected either webhook_ids or state')
  }
  return known === undefined ? { webhook_ids } : { state: known }
}

/** The event of a test. @param declared the delivery, whose topic it has where it says no other */
function readEvent(event: unknown, declared: Delivery | undefined): HandedEvent {
  const { topic = declared?.topic, args = [], kwargs = {}, ...others } = isMap(event) ? event : {}
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw refuse('event: expected the keys topic, args and kwargs')
  const isTopic = typeof topic === 'string' && uriProblem(topic) === undefined
  if (!isTopic) throw refuse('event: topic: expected a WAMP URI, since the delivery has a pattern')
  if (!Array.isArray(args)) throw refuse('event: args: expected an array')
  if (!isMap(kwargs)) throw refuse('event: kwargs: expected an object')
  return { topic, args, kwargs }
}

const ofDelivery = texts('id', 'name')

/** Of a delivery with endpoints of users: one of them. */
const ofEndpoint = { name: 'endpoint', type: 'string', isOptional: true, inQuery: true } as const

const selection = [
  ...ofDelivery,
  { name: 'webhook_ids', type: 'texts', isOptional: true },
  { name: 'state', type: 'string', isOptional: true },
  ofEndpoint,
] as const

/** Those that list, look and act. */
export const deliveryProcedures: readonly Procedure[] = [
  {
    // answers `{deliveries: [{realm_uri, api_spec, name, topic, match, state, reason, is_declared, pending, dead, oldest_at, gaps, owner}]}`
    uri: 'service.list_deliveries',
    parameters: [{ name: 'id', type: 'string', isOptional: true }],
    access: 'read',
    mirrors: [
      { method: 'GET', path: '/deliveries' },
      { method: 'GET', path: '/api_specs/:id/deliveries' },
    ],
    async handler(management, [id], caller) {
      const rows = await seenBy(management, caller, id)
      const { all } = management.deliveries
      return { value: { deliveries: rows.map((row) => rowOf(row, all)) } }
    },
  },
  {
    // answers `{delivery, events: [{webhook_id, publication, topic, state, reason, attempts, accepted_at, due_at, status, error}], cursor, gaps}`
    uri: 'service.list_delivery_events',
    parameters: [
      ...ofDelivery,
      { name: 'state', type: 'string', isOptional: true, inQuery: true },
      { name: 'limit', type: 'string', isOptional: true, inQuery: true },
      { name: 'after', type: 'string', isOptional: true, inQuery: true },
      ofEndpoint,
    ],
    access: 'read',
    mirrors: [{ method: 'GET', path: `${path}/events` }],
    async handler(management, [id, name, state, limit, after, endpoint], caller) {
      const known = readState(state)
      const query = {
        limit: readLimit(limit),
        ...(known && { state: known }),
        ...(after !== undefined && { after: String(after) }),
      }
      const row = await findAt(management, caller, [id, name], endpoint)
      const { outbox, all } = management.deliveries
      const [{ events, cursor = null }, gaps] = await Promise.all([
        outbox.events(row, query),
        outbox.gaps(row),
      ])
      return { value: { delivery: rowOf(row, all), events, cursor, gaps } }
    },
  },
  {
    // answers the event with its payload, `{…, event: {topic, args, kwargs, details, publication, accepted_at}}`
    uri: 'service.get_delivery_event',
    parameters: [...texts('id', 'name', 'webhook_id'), ofEndpoint],
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'GET', path: `${path}/events/:webhook_id` }],
    async handler(management, [id, name, webhook_id, endpoint], caller) {
      const row = await findAt(management, caller, [id, name], endpoint)
      return { value: await management.deliveries.outbox.event(row, String(webhook_id)) }
    },
  },
  {
    // answers `{count}`: they are due now, with all attempts
    uri: 'service.replay_delivery_events',
    parameters: selection,
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'POST', path: `${path}/replay` }],
    async handler(management, [id, name, ids, state, endpoint], caller) {
      const chosen = readSelection(ids, state)
      const row = await findAt(management, caller, [id, name], endpoint)
      return { value: { count: await management.deliveries.outbox.replay(row, chosen) } }
    },
  },
  {
    // answers `{count}`: they are removed
    uri: 'service.drop_delivery_events',
    parameters: selection,
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'POST', path: `${path}/drop` }],
    async handler(management, [id, name, ids, state, endpoint], caller) {
      const chosen = readSelection(ids, state)
      const row = await findAt(management, caller, [id, name], endpoint)
      return { value: { count: await management.deliveries.outbox.drop(row, chosen) } }
    },
  },
  ...(['pause', 'resume'] as const).map(
    (verb): Procedure => ({
      // answers the delivery as list_deliveries does
      uri: `service.${verb}_delivery`,
      parameters: [...ofDelivery, ofEndpoint],
      access: 'load',
      keepsDocuments: true,
      mirrors: [{ method: 'POST', path: `${path}/${verb}` }],
      async handler(management, [id, name, endpoint], caller) {
        const { deliveries } = management
        const look = () => findAt(management, caller, [id, name], endpoint)
        await deliveries.outbox[verb](await look())
        return { value: rowOf(await look(), deliveries.all) }
      },
    }),
  ),
  {
    // answers `{status}` or `{error}`: one event is sent at once, and not kept
    uri: 'service.test_delivery',
    parameters: [...ofDelivery, { name: 'event', type: 'object', isOptional: true }, ofEndpoint],
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'POST', path: `${path}/test` }],
    async handler(management, [id, name, event, endpoint], caller) {
      const { deliveries } = management
      const row = await findAt(management, caller, [id, name], endpoint)
      const declared = deliveries.all.find((one) => isSame(one, row))
      const end = await deliveries.outbox.test(row, readEvent(event, declared))
      return { value: 'failed' in end ? { error: end.failed } : end }
    },
  },
  {
    // answers `{endpoints: [{id, user, url, state, reason, pending, dead, gaps, created_at, is_permitted}]}`: no secrets
    uri: 'service.list_delivery_endpoints',
    parameters: ofDelivery,
    access: 'read',
    mirrors: [{ method: 'GET', path: `${path}/endpoints` }],
    async handler(management, names, caller) {
      const row = await find(management, caller, names)
      return { value: { endpoints: await management.endpoints.all(row) } }
    },
  },
  {
    // answers `{endpoint}`: it is removed, with what waits for it
    uri: 'service.remove_delivery_endpoint',
    parameters: texts('id', 'name', 'endpoint'),
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'DELETE', path: `${path}/endpoints/:endpoint`, status: 204 }],
    async handler(management, [id, name, endpoint], caller) {
      const row = await find(management, caller, [id, name])
      await management.endpoints.removeAny(row, String(endpoint))
      return { value: { endpoint } }
    },
  },
]
