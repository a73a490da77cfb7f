/** What performs actions, by type: the other half of the rows in `kinds.ts`. */
import type { Action } from './action.ts'
import { type DeliverPorts, deliverAction } from './deliver/perform.ts'
import { deliveryEndpointAction, type EndpointPorts } from './delivery-endpoint/perform.ts'
import { eachAction } from './each/perform.ts'
import { filesAction, type RootPorts } from './files/perform.ts'
import { type ForwardPorts, forwardAction } from './forward/perform.ts'
import type { GroupPorts } from './group.ts'
import type { ActionType } from './kinds.ts'
import { parallelAction } from './parallel/perform.ts'
import { staticAction } from './static/perform.ts'
import { wampCallAction } from './wamp-call/perform.ts'
import { wampPublishAction } from './wamp-publish/perform.ts'
import { type SubscribePorts, wampSubscribeAction } from './wamp-subscribe/perform.ts'

/** The actions, and a way to end their connections. */
export interface Actions {
  readonly table: Readonly<Record<ActionType, Action>>
  /** Ends all connections to upstreams; sessions belong to their source. */
  close(): Promise<void>
}

/** Makes all actions. */
export function openActions(
  ports: ForwardPorts & SubscribePorts & DeliverPorts & EndpointPorts & RootPorts & GroupPorts,
): Actions {
  const forward = forwardAction(ports)
  return {
    table: {
      static: staticAction,
      forward,
      wamp_call: wampCallAction(ports),
      wamp_publish: wampPublishAction(ports),
      wamp_subscribe: wampSubscribeAction(ports),
      deliver: deliverAction(ports),
      delivery_endpoint: deliveryEndpointAction(ports),
      files: filesAction(ports),
      parallel: parallelAction(ports),
      each: eachAction(ports),
    },
    close: () => forward.close(),
  }
}
