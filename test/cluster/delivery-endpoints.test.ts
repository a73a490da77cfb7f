/** Deliveries of two gateways to the endpoint that a user has added. */
import { describeDeliveries } from './deliveries.ts'

describeDeliveries('postgres', true)
describeDeliveries('sqlite', true)
