/** The query parameters and headers that the expressions of an operation read. */
import { membersRead } from '#component/expression/probe/members-read.ts'
import { type CompiledOperation, plansOf, type ResponsePlan } from '#component/gateway/api.ts'
import type { HeaderLayer, Live } from '#component/gateway/header-layers.ts'
import type { ProgressPlan, StreamPlan } from '#component/gateway/stream-plan.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { Method } from '#component/request.ts'
import { policyAnswers } from './policy-responses.ts'
import type { Member } from './references.ts'

/** Names, as expressions spell them. */
export interface RequestReads {
  readonly query: ReadonlySet<string>
  /** Lower case. */
  readonly headers: ReadonlySet<string>
  /** Files of forms, and whether all of a name are read. */
  readonly files: ReadonlyMap<string, 'one' | 'all'>
  /** The headers that policies describe; lower case. */
  readonly described: ReadonlyMap<string, Member>
}

const queryKeys = ['request.query_params.', 'request.query_lists.']
const headerKey = 'request.headers.'
const fileKeys = [
  ['request.files.', 'one'],
  ['request.file_lists.', 'all'],
] as const

/** Finds them in the compiled expressions. */
export function readsOf(operation: CompiledOperation, method: Method): RequestReads {
  const query = new Set<string>()
  const headers = new Set<string>()
  const files = new Map<string, 'one' | 'all'>()
  for (const node of nodesOf(operation)) {
    for (const read of membersRead(node)) {
      for (const key of queryKeys) if (read.startsWith(key)) query.add(read.slice(key.length))
      for (const [key, count] of fileKeys) {
        const [name = ''] = read.startsWith(key) ? read.slice(key.length).split('.') : []
        if (name !== '' && files.get(name) !== 'all') files.set(name, count)
      }
      if (read.startsWith(headerKey)) headers.add(read.slice(headerKey.length))
    }
  }
  // where a client was when its stream broke (HTML Standard: Server-sent events)
  if (operation.streams?.types.length) headers.add('last-event-id')
  const described = new Map<string, Member>()
  for (const { request = {} } of policyAnswers(operation, method)) {
    for (const [name, field] of Object.entries(request)) {
      if (field) described.set(name, field)
      else headers.add(name)
    }
  }
  return { query, headers, files, described }
}

function* nodesOf(operation: CompiledOperation): Iterable<Live> {
  const { on_result, on_error, path, inherited, streams } = operation
  for (const { computed, attempts } of plansOf(operation)) {
    for (const [, node] of computed) yield node
    for (const [, { node }] of attempts.computed) yield node
  }
  for (const [kind, plan] of inForce(inherited.policies)) {
    for (const { nodes } of kind.evaluates(plan)) yield* nodes
  }
  yield* nodesOfLayers([path.layer])
  yield* nodesOfResponse(on_result)
  yield* nodesOfResponse(on_error)
  if (streams) yield* nodesOfStream(streams)
}

function* nodesOfStream(plan: StreamPlan | ProgressPlan): Iterable<Live> {
  const { name, body } = plan
  const [filter, snapshot] = plan.kind === 'events' ? [plan.filter, plan.snapshot] : []
  for (const node of [name, body, filter, snapshot?.name, snapshot?.body]) if (node) yield node
}

function* nodesOfResponse({ layers, status, body, uri }: ResponsePlan): Iterable<Live> {
  yield* nodesOfLayers(layers)
  if (typeof status === 'object') yield status.node
  if (body) yield body
  if (uri) yield uri.node
}

function* nodesOfLayers(layers: readonly HeaderLayer[]): Iterable<Live> {
  for (const { computed, whole } of layers) {
    for (const [, node] of computed) yield node
    if (whole) yield whole
  }
}
