/** Describes how a traced request went, in the words of an explanation: without secrets, and not too large. */
import { headerNames, matchedOf } from '#component/explain/explanation/explainer.ts'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { rulesInForce } from '#component/explain/explanation/rules-in-force.ts'
import { runOf } from '#component/explain/explanation/run.ts'
import { bounded } from '#component/explain/explanation/size.ts'
import type { Recorded } from '#component/explain/record.ts'
import { redact } from '#component/explain/redaction/redaction.ts'
import type { SentReply } from '#component/explain/rehearsal.ts'
import type { Route } from '#component/gateway/api.ts'
import { traceField } from '#component/gateway/context.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Match, Missed } from '#component/routes/routing-table.ts'

/** A traced request. */
export interface Trace extends Recorded {
  readonly exchange: Exchange
  readonly found: Match<Route> | Missed<Route>
  readonly reply: Reply
  /** When the reply was made; microseconds since the gateway had its head. */
  readonly us: number
}

/** An explanation of what has happened; times are microseconds since the gateway had the head of the request. */
export interface ToldTrace extends Explanation {
  readonly id: string
  /** When the request came; milliseconds since the epoch. */
  readonly ts: number
  readonly request: Readonly<Record<string, unknown>>
  /** What the last action came to; null: none ran. */
  readonly outcome: unknown
  /** When the reply was made. */
  readonly us: number
}

/** @param secretNames `explain.redact` */
export async function describeTrace(
  id: string,
  trace: Trace,
  now: number,
  secretNames: readonly string[],
): Promise<ToldTrace> {
  const { exchange, found, reply, us, ...recorded } = trace
  const { operation, checks, expressions, outcome } = recorded
  const { method, scheme, host, path, query_string, headers, peername: peer } = exchange
  const { [traceField]: _token, ...shownHeaders } = headers
  const answered = { ...recorded, reply, sent: sentOf(reply) }
  const explanation: ToldTrace = {
    ...{ id, ts: now - Math.round(us / 1000), us },
    request: { method, scheme, host, path, query_string, headers: shownHeaders, peer },
    matched: matchedOf(found, exchange),
    near_misses: [],
    checks,
    rules: operation ? rulesInForce(operation, expressions) : {},
    // the callees of a call are known to the router alone: a trace asks nobody
    ...(await runOf(answered, false, async () => null)),
    outcome: outcomeOf(outcome),
  }
  const { query_params, query_lists } = exchange
  const shown = redact(explanation, {
    names: secretNames,
    headers: headerNames(found),
    request: { headers, query_params, query_lists, bindings: found.bindings },
  })
  return bounded(shown as ToldTrace) as ToldTrace
}

/** Without the stream of an upstream. */
function outcomeOf(outcome: Trace['outcome']): unknown {
  if (outcome === undefined) return null
  return 'result' in outcome ? { result: outcome.result } : { error: outcome.error }
}

/** The reply as a value. */
function sentOf({ status, headers, body }: Reply): SentReply {
  const shown = () => {
    if (body.kind === 'value') return body.value
    if (body.kind === 'bytes') return body.bytes
    return body.kind === 'stream' || body.kind === 'events' ? '(streamed)' : ''
  }
  return { status, headers, body: shown() }
}
