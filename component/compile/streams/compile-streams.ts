/** Compiles what an operation declares of a stream: of events, or of progressive results. */
import type { ActionKind } from '#component/action/kind.ts'
import type { Findings } from '#component/compile/fold-check.ts'
import type { ReadPart } from '#component/compile/read-checks.ts'
import { type Members, member, type Node } from '#component/expression/compile.ts'
import type { ResponsePlan } from '#component/gateway/api.ts'
import type { HeaderLayer, Live } from '#component/gateway/header-layers.ts'
import type {
  ProgressPlan,
  StreamHead,
  StreamPlan,
  ViewPlan,
} from '#component/gateway/stream-plan.ts'
import { streamDefaults } from '#component/spec/defaults.ts'
import type { StreamType } from '#component/syntax/event-stream.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import { checkStreams, isOfResult, type StreamedOperation } from './stream-checks.ts'
import { isRawType, type Kind, streamTypesOf } from './stream-types.ts'

/** What an answer may be. @param action of the operation; undefined for a list */
export function kindOf(action: ActionKind | undefined, response: Members | undefined): Kind {
  if (action?.begins === 'events') return 'events'
  return action?.begins === 'progress' && response?.has('on_progress') ? 'progress' : 'value'
}

/** Whether an action ends its stream with the first event, whatever the request. */
export function isOneEvent(action: Members): boolean {
  return constantOf(action, 'max_events') === 1
}

/** The parts of a stream whose expressions are evaluated later than those of its request. */
export function streamParts({
  kind,
  actions,
  response,
  on_result,
  pathOf,
}: StreamedOperation): readonly ReadPart[] {
  if (kind === 'value') return []
  const [action] = actions
  const filter = action?.members.get('filter')
  const part = (place: ReadPart['place'], node: Node | undefined, ...keys: readonly string[]) =>
    node && node.kind !== 'broken' ? [{ place, at: pathOf(...keys), nodes: [node] }] : []
  const view = (place: ReadPart['place'], key: string) =>
    part(place, response?.get(key), 'response', key)
  if (kind === 'progress') {
    const told = (key: 'first' | 'length') =>
      part('progress', on_result.extent?.[key]?.node, 'response', 'on_result', key)
    return [...view('progress', 'on_progress'), ...told('first'), ...told('length')]
  }
  return [
    ...part('event', filter, 'action', 'filter'),
    ...view('event', 'on_event'),
    ...view('snapshot', 'on_snapshot'),
  ]
}

/**
 * The stream that the answer of an operation is, or may be; undefined where it is none.
 * @param negotiated the media types that its clients may have
 */
export function compileStream(
  operation: StreamedOperation,
  negotiated: readonly string[] = [],
  findings: Findings,
): StreamPlan | ProgressPlan | undefined {
  checkStreams(operation, findings)
  const { kind, actions, response, on_result } = operation
  const [action] = actions
  if (kind === 'value' || action === undefined) return undefined
  const declared = { action: action.members, response, on_result, types: streamTypesOf(negotiated) }
  return kind === 'events' ? eventsPlan(declared) : progressPlan(declared)
}

/** What an operation declares, as far as the plan of its stream depends on it. */
interface Declared {
  readonly action: Members
  readonly response: Members | undefined
  readonly on_result: ResponsePlan
  readonly types: readonly StreamType[]
}

function eventsPlan({ action, response, on_result, types }: Declared): StreamPlan {
  const known = <K extends keyof typeof streamDefaults>(key: K) =>
    (constantOf(action, key) ?? streamDefaults[key]) as (typeof streamDefaults)[K]
  const filter = liveOf(action.get('filter'))
  const view = viewOf(response, 'on_event')
  return {
    kind: 'events',
    types,
    head: headOf(on_result),
    match: known('match') as Match,
    as: known('as') as StreamPlan['as'],
    replayEvents: known('replay_events'),
    replayTimeoutMs: known('replay_timeout'),
    heartbeatMs: known('heartbeat'),
    retryMs: known('retry'),
    overflow: known('overflow') as StreamPlan['overflow'],
    maxStreams: constantOf(action, 'max_streams') as number | undefined,
    filter: filter?.kind === 'constant' && filter.value === true ? undefined : filter,
    ...view,
    isShared: isSame(view.name) && isSame(view.body),
    isFilterShared: isSame(filter),
    snapshot: action.get('snapshot') && viewOf(response, 'on_snapshot'),
  }
}

function progressPlan({ response, on_result, types }: Declared): ProgressPlan {
  const type = on_result.headers['content-type']
  const isRaw = type !== undefined && isRawType(type)
  return {
    kind: 'progress',
    types,
    head: headOf(on_result, isRaw ? type : undefined),
    ...viewOf(response, 'on_progress'),
    isRaw,
    extent: isRaw ? on_result.extent : undefined,
  }
}

const liveOf = (node: Node | undefined): Live | undefined =>
  node?.kind === 'broken' ? undefined : node

function constantOf(map: Members, key: string): unknown {
  const node = map.get(key)
  return node?.kind === 'constant' ? node.value : undefined
}

function viewOf(response: Members | undefined, key: string): ViewPlan {
  const view = response?.get(key)
  return {
    name: view && liveOf(member(view, 'event')),
    body: view && liveOf(member(view, 'body')),
  }
}

/** Whether a value is the same for all streams. */
const isSame = (node: Live | undefined): boolean =>
  node === undefined || node.reads.every((read) => read.split('.', 1)[0] === 'action')

/** The headers of a stream: those of a result without what tells of a body, or of the result itself. */
function headOf({ headers, layers }: ResponsePlan, type?: string): StreamHead {
  const { 'content-type': _type, 'content-encoding': _encoding, ...others } = headers
  return {
    headers: type === undefined ? others : { ...others, 'content-type': type },
    layers: layers.map(withoutBodyOf),
  }
}

function withoutBodyOf({ fixed, computed, whole }: HeaderLayer): HeaderLayer {
  const { 'content-type': _type, 'content-encoding': _encoding, ...others } = fixed
  return {
    fixed: others,
    computed: computed.filter(
      ([name, node]) => name !== 'content-type' && name !== 'content-encoding' && !isOfResult(node),
    ),
    whole: whole && isOfResult(whole) ? undefined : whole,
  }
}
