/** What sending to endpoints of users needs of the process. */
import type { Action } from '#component/action/action.ts'
import type { HostPolicy } from '#component/action/connections/origin.ts'
import type { Endpoint } from '#component/delivery/types.ts'

/** The parts that send there. */
export interface UserSendingPorts {
  /** Sends a forward to public addresses, and to those that the configuration lists. */
  readonly perform: Action['perform']
  /** `deliveries.endpoint_hosts`. */
  readonly hosts: HostPolicy
  /** The secrets of an endpoint that sign now, the newest first. */
  secrets(endpoint: string): readonly string[]
  /** Whether the owner may subscribe to the topic now. */
  mayHear(endpoint: Pick<Endpoint, 'realm_uri' | 'owner'>, topic: string): boolean
}
