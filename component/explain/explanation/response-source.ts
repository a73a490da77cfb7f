/** What decides the status and the body of an answer: a member of the document, or a rule of the gateway. */
import type { Outcome } from '#component/action/action.ts'
import type { CompiledOperation, ResponsePlan } from '#component/gateway/api.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { ExplainedResponse } from './explanation.ts'

type Source = ExplainedResponse['from']

/** @param outcome of the last action; undefined where none has ended */
export function sourceOf(
  operation: CompiledOperation | undefined,
  { error, operation: answered, headers, status }: Reply,
  outcome: Outcome | undefined,
): Source {
  if (operation === undefined) return ofError(error?.uri)
  if (isNotModified(operation, status)) {
    return { status: 'rule: the client has the ETag', body: 'rule: no content' }
  }
  const isResult = error === undefined && outcome !== undefined && 'result' in outcome
  const [name, plan] = isResult
    ? (['on_result', operation.on_result] as const)
    : (['on_error', operation.on_error] as const)
  const at = `${operation.at}/response/${name}`
  const declared = statusSource(plan, at)
  if (answered === undefined) {
    const ofRule = ofError(error?.uri)
    return {
      status: hasEvaluated(error?.uri) ? (declared ?? ofRule.status) : ofRule.status,
      body: ofRule.body,
    }
  }
  const isUpstream = outcome?.answer !== undefined
  const body =
    streamSource(operation, outcome) ??
    (plan.body === undefined ? bodyRule(operation, isResult, isUpstream) : `${at}/body`)
  if (declared !== undefined) return { status: declared, body }
  if (isResult) {
    const isCreated = plan.uri !== undefined && 'location' in headers
    const rule = isUpstream ? 'the status of the upstream' : 'success'
    return { status: `rule: ${isCreated ? 'created, by uri' : rule}`, body }
  }
  return { status: errorRule(operation, error?.uri ?? errorUriOf(outcome), isUpstream), body }
}

/** Whether the request is conditional, and the answer has not changed. */
const isNotModified = ({ inherited, on_result }: CompiledOperation, status: number): boolean =>
  status === 304 && inherited.policies?.etag === true && on_result.status !== 304

const errorUriOf = (outcome: Outcome | undefined): string =>
  outcome && 'error' in outcome ? outcome.error.error_uri : ''

/** Only failed expressions are answered as `on_error` declares. */
const hasEvaluated = (uri: string | undefined): boolean =>
  uri?.startsWith('service.error.http_gateway.') === true

const ofError = (uri: string | undefined): Source => {
  const rule = `rule: ${uri ?? 'no content'}`
  return { status: rule, body: rule }
}

function statusSource({ status }: ResponsePlan, at: string): string | undefined {
  if (status === undefined) return undefined
  return typeof status === 'object' ? status.path : `${at}/status_code`
}

/** What decides the data of the events; undefined: the answer is no stream. */
function streamSource(
  { streams, at }: CompiledOperation,
  outcome: Outcome | undefined,
): string | undefined {
  if (streams === undefined || outcome?.stream === undefined) return undefined
  const name = streams.kind === 'events' ? 'on_event' : 'on_progress'
  return streams.body === undefined ? `rule: ${name} without a body` : `${at}/response/${name}/body`
}

function errorRule({ status_codes }: CompiledOperation, uri: string, isUpstream: boolean): string {
  if (status_codes.has(uri)) return `rule: status_codes of ${uri}`
  return isUpstream
    ? 'rule: the status of the upstream'
    : `rule: status_codes has no row for ${uri}`
}

function bodyRule(
  { action, at }: CompiledOperation,
  isResult: boolean,
  isUpstream: boolean,
): string {
  if (isUpstream) return 'rule: the body of the upstream'
  if (!isResult) return 'rule: the error of the action'
  return action.kind.answers ? `${at}/action/body` : 'rule: no body'
}
