/** The table of actions by type. */
import type { Action } from './action.ts'
import { type ForwardPorts, forwardAction } from './forward.ts'
import { wampCallAction } from './wamp-call.ts'
import { wampPublishAction } from './wamp-publish.ts'
import { type SubscribePorts, wampSubscribeAction } from './wamp-subscribe.ts'
import type { ActionType } from './watching/action-target.ts'

/** The actions, and a way to end their connections. */
export interface Actions {
  readonly table: Readonly<Record<ActionType, Action>>
  /** Ends all connections to upstreams; sessions belong to their source. */
  close(): Promise<void>
}

/** `static`: a fixed answer. Its result is what the document declares: `{body, headers}` (behaviour §4). */
export const staticAction: Action = {
  async perform({ body = '', headers = {} }) {
    return { result: { body, headers } }
  },
}

/** Makes all actions. */
export function openActions(ports: ForwardPorts & SubscribePorts): Actions {
  const forward = forwardAction(ports)
  return {
    table: {
      static: staticAction,
      forward,
      wamp_call: wampCallAction(ports),
      wamp_publish: wampPublishAction(ports),
      wamp_subscribe: wampSubscribeAction(ports),
    },
    close: () => forward.close(),
  }
}
