/** Compiles what an operation declares of a stream: of events, or of progressive results. */
import type { CompiledAction } from '#component/compile/compile-action.ts'
import { member, type Node } from '#component/expression/compile.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { ProgressPlan, StreamPlan, ViewPlan } from '#component/gateway/stream-plan.ts'
import { streamDefaults } from '#component/spec/defaults.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

/**
 * The stream that the answer of an operation is, or may be; undefined where it is none.
 * @param action the last one of the operation
 * @param response its declaration; undefined when the document has none
 * @param type the Content-Type of a success, where it is known at load
 */
export function compileStreams(
  action: CompiledAction,
  response: Node | undefined,
  type: string | undefined,
): StreamPlan | ProgressPlan | undefined {
  const view = (key: string): Node | undefined => response && member(response, key)
  if (action.plan.type === 'wamp_subscribe') {
    return eventsPlan(action.node, view('on_event'), view('on_snapshot'))
  }
  const pieces = view('on_progress')
  if (action.plan.type !== 'wamp_call' || pieces === undefined) return undefined
  return { kind: 'progress', ...viewOf(pieces), isRaw: isRawType(type) }
}

function eventsPlan(
  action: Node,
  events: Node | undefined,
  snapshot: Node | undefined,
): StreamPlan {
  const known = <K extends keyof typeof streamDefaults>(key: K) =>
    (constantOf(action, key) ?? streamDefaults[key]) as (typeof streamDefaults)[K]
  const filter = liveOf(member(action, 'filter'))
  const view = viewOf(events)
  return {
    kind: 'events',
    match: known('match') as Match,
    as: known('as') as StreamPlan['as'],
    replayEvents: known('replay_events'),
    replayTimeoutMs: known('replay_timeout'),
    heartbeatMs: known('heartbeat'),
    retryMs: known('retry'),
    overflow: known('overflow') as StreamPlan['overflow'],
    maxStreams: constantOf(action, 'max_streams') as number | undefined,
    filter,
    ...view,
    isShared: isSame(view.name) && isSame(view.body),
    isFilterShared: isSame(filter),
    snapshot: member(action, 'snapshot') && viewOf(snapshot),
  }
}

const liveOf = (node: Node | undefined): Live | undefined =>
  node?.kind === 'broken' ? undefined : node

function constantOf(map: Node, key: string): unknown {
  const node = member(map, key)
  return node?.kind === 'constant' ? node.value : undefined
}

const viewOf = (view: Node | undefined): ViewPlan => ({
  name: view && liveOf(member(view, 'event')),
  body: view && liveOf(member(view, 'body')),
})

/** Whether a value is the same for all streams. */
const isSame = (node: Live | undefined): boolean =>
  node === undefined ||
  [...node.reads].every(
    (read) => read !== 'request' && read !== 'security' && !/^(?:request|security)\./.test(read),
  )

const isRawType = (type: string | undefined): boolean => type !== undefined
