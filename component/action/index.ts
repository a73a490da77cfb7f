/** The table of actions by type. */
import { ServiceError } from '#component/errors.ts'
import type { Action, ActionType } from './action.ts'
import { type ForwardPorts, forwardAction } from './forward.ts'
import type { WampPorts } from './wamp-attempt.ts'
import { wampCallAction } from './wamp-call.ts'
import { wampPublishAction } from './wamp-publish.ts'

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

/** `wamp_subscribe` is known to documents, but nothing performs it. */
const notPerformed: Action = {
  async perform() {
    throw new ServiceError('service.error.unavailable', 'streams are not served')
  },
}

/** Makes all actions. */
export function openActions(ports: ForwardPorts & WampPorts): Actions {
  const forward = forwardAction(ports)
  return {
    table: {
      static: staticAction,
      forward,
      wamp_call: wampCallAction(ports),
      wamp_publish: wampPublishAction(ports),
      wamp_subscribe: notPerformed,
    },
    close: () => forward.close(),
  }
}
