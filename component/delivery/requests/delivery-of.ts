/** Makes the deliveries that the outbox works with. */
import type { Delivery } from '#component/delivery/types.ts'
import { deliveryOfDocument, type SendingPorts } from './compiled-delivery.ts'
import type { DeliveryPlan } from './plan.ts'
import { deliveryOfUsers } from './user-endpoints.ts'

/** The delivery of a plan: to the endpoint of the document, or to those that users have added. */
export const deliveryOf = (plan: DeliveryPlan, ports: SendingPorts): Delivery =>
  plan.target.kind === 'endpoints'
    ? deliveryOfUsers(plan, plan.target.perUser, ports)
    : deliveryOfDocument(plan, ports)
