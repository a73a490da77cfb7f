/** Reports what an operation declares of a stream and what cannot be: keys of another kind of answer, headers and types of a body. */
import type { ActionKind } from '#component/action/kind.ts'
import { actionKinds } from '#component/action/kinds.ts'
import type { Findings } from '#component/compile/fold-check.ts'
import { keysOf, type Members, member } from '#component/expression/compile.ts'
import type { InheritedValues, ResponsePlan } from '#component/gateway/api.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import { isStreamType, streamTypes } from '#component/syntax/event-stream.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import { eventTypes, isRawType, type Offer } from './stream-types.ts'

/** An operation, as far as it decides what its answer may be. */
export interface StreamedOperation extends Offer {
  readonly method: Method
  readonly response: Members | undefined
  /** In order; one, unless the document has a list. */
  readonly actions: readonly { readonly members: Members; readonly kind: ActionKind }[]
  readonly isList: boolean
  readonly on_result: ResponsePlan
  readonly inherited: InheritedValues
  /** Where a key of the operation is written. */
  readonly pathOf: (...keys: readonly string[]) => string
}

/** Whether a header tells of the result, which is not there yet when the head of a stream is sent. */
export const isOfResult = ({ reads }: Live): boolean =>
  reads.some((read) => read === 'action' || read.startsWith('action.'))

/** The views of a stream, and the type of action that they belong to. */
const homes = actionKinds.flatMap(({ type, views }) => views.map((view) => [view, type] as const))

/** Checks an operation; those without streams only for keys and types that need one. */
export function checkStreams(operation: StreamedOperation, findings: Findings): void {
  checkActions(operation, findings)
  checkCalls(operation, findings)
  checkViews(operation, findings)
  checkProvides(operation, findings)
  if (operation.kind === 'events') checkEvents(operation, findings)
  if (operation.kind === 'progress') checkProgress(operation, findings)
}

function checkActions(operation: StreamedOperation, { issues }: Findings): void {
  const { actions, isList, method, pathOf } = operation
  for (const [index, { kind }] of actions.entries()) {
    if (kind.begins !== 'events') continue
    const { type } = kind
    const path = pathOf('action', ...(isList ? [String(index)] : []), 'type')
    if (isList) {
      const message = `${type} may not stand in a list of actions: its response is a stream`
      issues.push({ path, message })
    } else if (method !== 'get' && method !== 'post') {
      issues.push({
        path,
        message: `${type} is allowed under get and post, not under ${method}`,
      })
    }
  }
}

/** What a call says of progressive results, which are asked for where `on_progress` tells them, and nowhere else. */
function checkCalls(
  { actions, isList, kind: answer, pathOf }: StreamedOperation,
  findings: Findings,
): void {
  for (const [index, { members, kind }] of actions.entries()) {
    if (kind.begins !== 'progress') continue
    const warn = (message: string, ...keys: readonly string[]) => {
      const path = pathOf('action', ...(isList ? [String(index)] : []), ...keys)
      findings.warnings.push({ path, message })
    }
    const options = members.get('options')
    const asked = options && member(options, 'receive_progress')
    const isProgress = answer === 'progress'
    if (asked?.kind === 'constant' && asked.value === !isProgress) {
      const reason = isProgress ? 'on_progress asks for' : 'without on_progress nobody is sent'
      warn(`it is not used: ${reason} progressive results`, 'options', 'receive_progress')
    }
    for (const key of isProgress ? [] : ['progress_timeout', 'max_duration']) {
      if (members.has(key)) warn('it is not used without on_progress', key)
    }
  }
}

function checkViews(operation: StreamedOperation, findings: Findings): void {
  const { response, actions, isList, pathOf } = operation
  const { issues, warnings } = findings
  for (const [view, home] of homes) {
    if (!response?.has(view)) continue
    const path = pathOf('response', view)
    if (isList) {
      issues.push({ path, message: `${view} may not stand beside a list of actions` })
    } else if (actions[0]?.kind.type !== home) {
      const message = `${view} belongs to an action of type ${home}, not to ${actions[0]?.kind.type}`
      issues.push({ path, message })
    } else if (view === 'on_snapshot' && !actions[0].members.has('snapshot')) {
      warnings.push({ path, message: 'it is not used: the action has no key snapshot' })
    }
  }
}

/** Types that the operation itself names. */
function checkProvides(operation: StreamedOperation, { issues }: Findings): void {
  const { kind, inherited, hasOwnProvides, on_result, pathOf } = operation
  if (!hasOwnProvides) return
  const refuse = (message: string) => issues.push({ path: pathOf('provides'), message })
  const { offers } = inherited
  const named = offers.filter(isStreamType)
  const declared = on_result.headers['content-type']
  if (kind === 'events') {
    const possible = eventTypes(operation)
    if (offers.some((type) => possible.includes(essenceOf(type)))) return
    refuse(`expected ${list.format(possible)} among the types: the response is a stream of events`)
  } else if (kind === 'value') {
    if (named.length > 0) refuse(`the response is no stream: it is never ${list.format(named)}`)
  } else if (named.length === 0 && (declared === undefined || !isRawType(declared))) {
    const types = list.format(streamTypes)
    refuse(`expected ${types} among the types: nobody could be sent what on_progress declares`)
  }
}

const list = new Intl.ListFormat('en', { type: 'disjunction' })

/** Headers of `on_result` that no stream has. */
const ofBody = ['content-type', 'content-encoding']

function checkEvents({ response, pathOf, on_result }: StreamedOperation, findings: Findings): void {
  const { issues } = findings
  const result = response?.get('on_result')
  const refuse = (message: string, ...keys: readonly string[]) =>
    issues.push({ path: pathOf('response', 'on_result', ...keys), message })
  if (result && member(result, 'body')) {
    refuse('a stream has no body: on_event says how each event is told', 'body')
  }
  if (on_result.uri !== undefined) refuse('a stream has no location', 'uri')
  if (on_result.status !== undefined && on_result.status !== 200) {
    refuse('the status of a stream is 200', 'status_code')
  }
  const headers = result && member(result, 'headers')
  for (const name of (headers && keysOf(headers)) ?? []) {
    if (ofBody.includes(name.toLowerCase())) {
      refuse(
        'the gateway sets this header of a stream itself: it must not be declared',
        'headers',
        name,
      )
    }
  }
}

function checkProgress(operation: StreamedOperation, findings: Findings): void {
  const { response, on_result, pathOf } = operation
  const { issues, warnings } = findings
  const type = on_result.headers['content-type']
  const inHeaders = pathOf('response', 'on_result', 'headers')
  if (type !== undefined && isStreamType(essenceOf(type))) {
    const message =
      'the type of a stream stands in provides: this one would hold for every response'
    issues.push({ path: pathOf('response', 'on_result', 'headers', 'content-type'), message })
  }
  for (const { computed, whole } of on_result.layers) {
    for (const [name, node] of computed) {
      const path = pathOf('response', 'on_result', 'headers', name)
      if (name === 'content-type') {
        const message =
          'the content type must be known when the specification is loaded: it decides whether on_progress is told as events or as bytes'
        issues.push({ path, message })
      } else if (isOfResult(node)) warnings.push({ path, message: leftOut })
    }
    if (whole && isOfResult(whole)) warnings.push({ path: inHeaders, message: leftOut })
  }
  const view = response?.get('on_progress')
  if (type === undefined || !isRawType(type) || view === undefined) return
  if (member(view, 'body') === undefined) {
    const message = `body is missing: expected a text or bytes, which are sent as ${essenceOf(type)}`
    issues.push({ path: pathOf('response', 'on_progress', 'body'), message })
  }
  if (member(view, 'event') !== undefined) {
    const message = `it is not used: the pieces of ${essenceOf(type)} have no names`
    warnings.push({ path: pathOf('response', 'on_progress', 'event'), message })
  }
}

const leftOut = 'it is left out of streams: their head is sent before the result is there'
