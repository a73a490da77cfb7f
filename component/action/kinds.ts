/** The rows of all actions: what all that deal with actions loop over. `index.ts` has what performs them. */

import { deliver } from './deliver/kind.ts'
import { deliveryEndpoint } from './delivery-endpoint/kind.ts'
import { each } from './each/kind.ts'
import { files } from './files/kind.ts'
import { forward } from './forward/kind.ts'
import { type ActionKind, actionKind } from './kind.ts'
import { parallel } from './parallel/kind.ts'
import { fixed } from './static/kind.ts'
import { wampCall } from './wamp-call/kind.ts'
import { wampPublish } from './wamp-publish/kind.ts'
import { wampSubscribe } from './wamp-subscribe/kind.ts'

const rows = [
  fixed,
  forward,
  wampCall,
  wampPublish,
  wampSubscribe,
  deliver,
  deliveryEndpoint,
  files,
  parallel,
  each,
] as const

/** The types of actions (specification: Action object). */
export type ActionType = (typeof rows)[number]['type']

/** In the order in which documents are told of them. */
export const actionKinds: readonly ActionKind[] = rows

const byType = new Map<unknown, ActionKind>(actionKinds.map((kind) => [kind.type, kind]))

/** The row of a type; undefined: there is no such type. */
export const kindOf = (type: unknown): ActionKind | undefined => byType.get(type)

/** `action: {}`, which documents may have under `options` only. */
export const noAction: ActionKind = actionKind({ type: 'none', shape: { keys: {} }, fields: {} })

/** One value for each type. */
export const forEachType = <T>(make: (type: ActionType) => T): Readonly<Record<ActionType, T>> =>
  Object.fromEntries(rows.map(({ type }) => [type, make(type)])) as Record<ActionType, T>
