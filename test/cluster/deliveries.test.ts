/** Deliveries of two gateways to the endpoint of a document. */
import { describeDeliveries } from './deliveries.ts'

describeDeliveries('postgres', false)
describeDeliveries('sqlite', false)
