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
  /** Its endpoints are of users: each has a state and events of its own. */
  has_endpoints: boolean
}

/** The endpoint of a user at a delivery; the time is one of RFC 3339. */
export interface DeliveryEndpoint {
  id: string
  user: string
  url: string
  state: string
  reason: string | null
  pending: number
  dead: number
  gaps: number
  created_at: string
  is_permitted: boolean | null
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
