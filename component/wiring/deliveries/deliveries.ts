/** The deliveries that the documents of a process declare, to the endpoints of documents and of users, and the outbox that they are handed to. */

import { type EndpointBook, isAt } from '#component/delivery/endpoints/endpoint-book.ts'
import type { SendingPorts } from '#component/delivery/requests/compiled-delivery.ts'
import { deliveryOf } from '#component/delivery/requests/delivery-of.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import type { Delivery, DeliveryRef, Endpoint, Outbox } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import type { Route } from '#component/gateway/api.ts'
import { FoundInApis, type TableChange } from '#component/routes/table-change.ts'

/** Of one process. */
export class Deliveries {
  readonly #declared: FoundInApis<Route, Delivery>
  readonly #book: Pick<EndpointBook, 'all' | 'onChange'>
  /** By the delivery as a whole and the endpoint: one that has not changed is one object. */
  readonly #toEndpoints = new WeakMap<Delivery, WeakMap<Endpoint, Delivery>>()
  #outbox: Outbox | undefined

  constructor(ports: SendingPorts, book: Pick<EndpointBook, 'all' | 'onChange'>) {
    this.#book = book
    this.#declared = new FoundInApis((entries) =>
      entries.filter(isDeliveryEntry).map(({ delivery }) => deliveryOf(delivery, ports)),
    )
  }

  /** Follows the table that is served, and tells the outbox where deliveries have changed. */
  follow(change: TableChange<Route>): void {
    if (this.#declared.follow(change)) this.#tell()
  }

  /** All that the documents declare now. */
  get all(): readonly Delivery[] {
    return this.#declared.all
  }

  /** The one that a document declares; undefined: none does. */
  declared(ref: DeliveryRef): Delivery | undefined {
    return this.all.find((one) => isAt(ref, one))
  }

  /** The outbox is there: it gets the deliveries of now, and each change from now on. */
  connect(outbox: Outbox): void {
    this.#outbox = outbox
    this.#book.onChange = () => this.#tell()
    this.#tell()
  }

  #tell(): void {
    this.#outbox?.use([...this.all, ...this.#ofUsers()])
  }

  /** To the endpoints whose ping was answered. */
  #ofUsers(): readonly Delivery[] {
    const templates = this.all.filter(({ endpoints }) => endpoints !== undefined)
    if (templates.length === 0) return []
    const verified = this.#book.all.filter(({ verified_at }) => verified_at !== null)
    return templates.flatMap((one) =>
      verified.filter((endpoint) => isAt(one, endpoint)).flatMap((to) => this.#to(one, to) ?? []),
    )
  }

  #to(delivery: Delivery, endpoint: Endpoint): Delivery | undefined {
    const known = this.#toEndpoints.get(delivery) ?? new WeakMap<Endpoint, Delivery>()
    this.#toEndpoints.set(delivery, known)
    const made = known.get(endpoint) ?? delivery.endpoints?.of(endpoint)
    if (made) known.set(endpoint, made)
    return made
  }

  /** @throws ServiceError `service.error.unavailable` where the process has none yet, or none any more */
  get outbox(): Outbox {
    if (this.#outbox) return this.#outbox
    throw new ServiceError('service.error.unavailable', 'the outbox of deliveries is not open')
  }
}
