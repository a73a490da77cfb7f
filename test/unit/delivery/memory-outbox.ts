/** An outbox with two deliveries, that remembers what it was asked, for the tests of what stands before it. */
import type { ListedEndpoint } from '#component/delivery/endpoints/endpoint-desk.ts'
import type {
  Delivery,
  DeliveryEventStatus,
  DeliveryRef,
  DeliveryStatus,
  Outbox,
} from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'

/** What the first delivery has. */
export const deadEvent: DeliveryEventStatus = {
  ...{ webhook_id: 'msg_1', publication: '42', topic: 'com.example.order.created' },
  ...{ state: 'dead', reason: 'exhausted', attempts: 10, accepted_at: 1_700_000_000_000 },
  ...{ due_at: null, status: 503, error: null },
}

/** Its payload. */
export const deadPayload = {
  ...{ topic: deadEvent.topic, args: [], kwargs: { card: '4111' }, details: {} },
  ...{ publication: '42', accepted_at: '2023-11-14T22:13:20.000Z' },
}

/** The endpoint of a user at both. */
const listedEndpoint: ListedEndpoint = {
  ...{ id: 'ep_1', user: 'ada', url: 'https://ada.example/hooks', state: 'failing', reason: null },
  ...{ pending: 3, dead: 1, gaps: 0, created_at: '2026-11-28T12:00:00.000Z', is_permitted: true },
}

const statusOf = (ref: DeliveryRef, more: Partial<DeliveryStatus> = {}): DeliveryStatus => ({
  ...ref,
  ...{ state: 'failing', reason: null, is_declared: true, pending: 3, dead: 1 },
  ...{ oldest_at: 1_700_000_000_000, gaps: 1, owner: 'node-1' },
  ...more,
})

/** The deliveries of a process, and what the outbox was asked. @param ofUsers what the first one has where its endpoints are of users */
export function memoryDeliveries(ofUsers?: Delivery['endpoints']) {
  const asked: (readonly unknown[])[] = []
  const orders = { realm_uri: 'com.example.realm', api_spec: 'com.example.hooks', name: 'orders' }
  const rows = [
    statusOf(orders),
    statusOf(
      { realm_uri: 'com.other', api_spec: 'com.other.hooks', name: 'gone' },
      { is_declared: false, state: 'stopped', reason: 'gone' },
    ),
  ]
  const note = (
    verb: string,
    { api_spec, name, endpoint }: DeliveryRef,
    ...more: readonly unknown[]
  ) => {
    asked.push([verb, [api_spec, name, endpoint].join(' ').trimEnd(), ...more])
  }
  const outbox: Omit<Outbox, 'use' | 'accept'> = {
    list: async () => rows,
    endpoints: async (ref, ids) =>
      ids.includes('ep_1') ? [{ ...statusOf(ref), endpoint: 'ep_1' }] : [],
    async events(ref, query) {
      note('events', ref, query)
      return { events: [deadEvent], cursor: 'next' }
    },
    async event(ref, webhook_id) {
      note('event', ref, webhook_id)
      if (webhook_id !== deadEvent.webhook_id)
        throw new ServiceError('service.error.not_found', 'there is no such event')
      return { ...deadEvent, event: deadPayload }
    },
    gaps: async () => [{ reason: 'router_lost', since: 'a', until: 'b', count: null }],
    async replay(ref, selection) {
      note('replay', ref, selection)
      return 7
    },
    async drop(ref, selection) {
      note('drop', ref, selection)
      return 8
    },
    async pause(ref) {
      note('pause', ref)
    },
    async resume(ref) {
      note('resume', ref)
    },
    async test(ref, event) {
      note('test', ref, event)
      return { status: 204 }
    },
  }
  const declared = {
    ...{ ...orders, topic: 'com.example.order.created', match: 'exact' },
    ...(ofUsers && { endpoints: ofUsers }),
  } as Delivery
  const endpoints = {
    async all(ref: DeliveryRef) {
      note('endpoints', ref)
      return [listedEndpoint]
    },
    async removeAny(ref: DeliveryRef, id: string) {
      note('remove', ref, id)
      if (id !== listedEndpoint.id)
        throw new ServiceError('service.error.not_found', 'the delivery has no such endpoint')
    },
  }
  return { all: [declared], outbox, asked, endpoints }
}
