/** What the gateway answers of deliveries. */

/** `GET /deliveries` lists these. Times are milliseconds since the epoch. */
export interface Delivery {
  realm_uri: string
  api_spec: string
  name: string
  topic: string | null
  state: string
  reason: string | null
  is_declared: boolean
  pending: number
  dead: number
  oldest_at: number | null
  gaps: number
  owner: string | null
}

/** One event of a delivery, without its payload. */
export interface DeliveryEvent {
  webhook_id: string
  topic: string
  state: string
  reason: string | null
  attempts: number
  accepted_at: number
  due_at: number | null
  status: number | null
  error: string | null
}

/** Events that were not accepted; times of RFC 3339. */
export interface DeliveryGap {
  reason: string
  since: string
  until: string
  count: number | null
}
