/** The deliveries that the documents of a process declare, and the outbox that they are handed to. */
import { deliveryOf, type SendingPorts } from '#component/delivery/requests/compiled-delivery.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import type { Delivery, Outbox } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import type { Route } from '#component/gateway/api.ts'
import { FoundInApis, type TableChange } from '#component/routes/table-change.ts'

/** Of one process. */
export class Deliveries {
  readonly #declared: FoundInApis<Route, Delivery>
  #outbox: Outbox | undefined

  constructor(ports: SendingPorts) {
    this.#declared = new FoundInApis((entries) =>
      entries.filter(isDeliveryEntry).map(({ delivery }) => deliveryOf(delivery, ports)),
    )
  }

  /** Follows the table that is served, and tells the outbox where deliveries have changed. */
  follow(change: TableChange<Route>): void {
    if (this.#declared.follow(change)) this.#outbox?.use(this.all)
  }

  /** All that the documents declare now. */
  get all(): readonly Delivery[] {
    return this.#declared.all
  }

  /** The outbox is there: it gets the deliveries of now, and each change from now on. */
  connect(outbox: Outbox): void {
    this.#outbox = outbox
    outbox.use(this.all)
  }

  /** @throws ServiceError `service.error.unavailable` where the process has none yet, or none any more */
  get outbox(): Outbox {
    if (this.#outbox) return this.#outbox
    throw new ServiceError('service.error.unavailable', 'the outbox of deliveries is not open')
  }
}
