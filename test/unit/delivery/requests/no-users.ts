/** Of deliveries that have no endpoints of users. */
import { endpointHosts } from '#component/delivery/endpoints/public-hosts.ts'
import type { UserSendingPorts } from '#component/delivery/requests/user-sending.ts'

/** Nothing is sent to users. */
export const noUsers: UserSendingPorts = {
  perform: async () => ({ result: {} }),
  hosts: endpointHosts([]).listed,
  secrets: () => [],
  mayHear: () => false,
}
