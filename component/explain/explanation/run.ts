/** Tells how a rehearsed request went: its expressions, its action, the answer, and what went wrong. */

import { kindOf } from '#component/action/kinds.ts'
import { ServiceError } from '#component/errors.ts'
import type { RecordedAction } from '#component/explain/record.ts'
import type { Evaluated } from '#component/explain/recorder.ts'
import type { CallRehearsal, Rehearsal, SentReply } from '#component/explain/rehearsal.ts'
import { type CompiledOperation, plansOf } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type {
  ExplainedAction,
  ExplainedExpression,
  ExplainedResponse,
  ExplainedRun,
  Explanation,
  Problem,
} from './explanation.ts'
import { sourceOf } from './response-source.ts'

/** How many callees a router has for a procedure; null where it does not tell. Nothing is called. */
export type CalleesOf = (realm_uri: string, procedure: string) => Promise<number | null>

type Rest = Omit<Explanation, 'matched' | 'near_misses'>

/** Of a generated endpoint, and of a document that may not be seen. */
export const nothingRan: Rest = {
  checks: [],
  rules: {},
  expressions: [],
  action: null,
  response: null,
  problem: null,
}

/** A request that no visible route answers. @param found a route that may not be seen */
export function unmatched(found: unknown): Rest {
  if (found !== undefined) return nothingRan
  const error = new ServiceError(
    'service.error.not_found',
    'no host and path of any API Specification matches',
  )
  return { ...nothingRan, problem: { status: error.status, ...error.toJSON() } }
}

/** A request that is refused before it is routed. */
export function malformed({ status, headers, body }: SentReply): Explanation {
  const from = {
    status: 'rule: service.error.bad_request',
    body: 'rule: service.error.bad_request',
  }
  return {
    ...{ matched: null, near_misses: [], ...nothingRan },
    response: { is_sample: false, status, headers, body, from },
    problem: { status, ...(body as Omit<Problem, 'status'>) },
  }
}

/** Whether an operation has several actions. */
const isSeveral = ({ steps, action }: CompiledOperation): boolean =>
  steps !== undefined || action.branches !== undefined

/** Of the actions for the items of a list, those of the first ten. */
function shown(
  operation: CompiledOperation,
  actions: readonly ExplainedAction[],
): readonly ExplainedAction[] {
  const hasItems = plansOf(operation).some(({ branches }) => branches?.list)
  return actions.filter(({ branch = '1' }) => !hasItems || !(Number(branch) > 10))
}

/** @param isSample whether no outcome was given */
export async function runOf(
  rehearsal: Rehearsal,
  isSample: boolean,
  callees: CalleesOf,
): Promise<ExplainedRun> {
  const { operation, called, reply, sent, expressions, outcome } = rehearsal
  const actions = await Promise.all(rehearsal.actions.map((told) => actionOf(told, callees)))
  return {
    expressions: expressions.map(expressionOf),
    action: operation && isSeveral(operation) ? shown(operation, actions) : (actions[0] ?? null),
    response:
      reply && sent
        ? {
            is_sample: isSample && actions.some(({ type }) => kindOf(type)?.reaches),
            status: sent.status,
            headers: sent.headers,
            body: sent.body,
            ...(sent.frames && { frames: sent.frames }),
            ...(sent.isCut && { is_cut: sent.isCut }),
            from:
              operation && called
                ? ofTool(sourceOf(operation, { ...reply, operation }, outcome))
                : sourceOf(operation, reply, outcome),
          }
        : null,
    problem: reply ? problemOf(reply, called ? reply.error?.status : reply.status) : null,
  }
}

/** How a call went. @param isSample whether no outcome was given */
export async function callRunOf(
  { operation, reply, progress, yielded, ...recorded }: CallRehearsal,
  isSample: boolean,
  callees: CalleesOf,
): Promise<ExplainedRun> {
  const actions = await Promise.all(recorded.actions.map((told) => actionOf(told, callees)))
  const { error_uri, args, kwargs } = yielded
  return {
    expressions: recorded.expressions.map(expressionOf),
    action: operation && isSeveral(operation) ? shown(operation, actions) : (actions[0] ?? null),
    response: null,
    answer: {
      is_sample: isSample && actions.some(({ type }) => kindOf(type)?.reaches !== undefined),
      ...(error_uri === undefined
        ? { result: { args, kwargs } }
        : { error: { error_uri, args, kwargs } }),
      ...(progress.length > 0 && { progress }),
    },
    problem: problemOf(reply, reply.error?.status ?? reply.status),
  }
}

/** A call that no visible procedure answers. */
export function uncalled(): Rest {
  const message = 'no API Specification registers the procedure'
  const error = new ServiceError('service.error.not_found', message)
  return { ...nothingRan, problem: { status: error.status, ...error.toJSON() } }
}

/** Results and failures of a tool are told in an answer of status 200. */
const ofTool = ({ body }: ExplainedResponse['from']): ExplainedResponse['from'] => ({
  ...{ status: 'rule: the response to a call of a tool', body },
})

function expressionOf({
  at,
  expression,
  stage,
  steps,
  value,
  failure,
}: Evaluated): ExplainedExpression {
  return {
    ...{ at, expression },
    ...(stage === 1 && { stage }),
    steps,
    ...(value !== undefined && { value }),
    ...(failure !== undefined && { failure }),
  }
}

async function actionOf(told: RecordedAction, callees: CalleesOf): Promise<ExplainedAction> {
  const { type, realm_uri, procedure } = told
  if (kindOf(type)?.reaches?.label !== 'procedure') return told
  const isKnown = typeof realm_uri === 'string' && typeof procedure === 'string'
  return { ...told, callees: isKnown ? await callees(realm_uri, procedure) : null }
}

/** What the log says of the failure, as far as it is about the document. */
function problemOf({ error, failure = {} }: Reply, status: number | undefined): Problem | null {
  if (error === undefined || status === undefined) return null
  const { pointer: at, expression, column } = failure
  return {
    status,
    ...error.toJSON(),
    ...(at !== undefined && { at }),
    ...(expression !== undefined && { expression }),
    ...(column !== undefined && { column }),
  }
}
