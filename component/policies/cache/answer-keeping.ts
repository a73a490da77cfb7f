/** Makes what is kept of an answer: whether it may be, for how long, its bytes and its tags. */
import type { Outcome } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Conditions, Encode } from '#component/policies/etag/conditions.ts'
import { splitMarked } from './cached-reply.ts'
import { CodedContent } from './coded-content.ts'
import { controlOf, type Fields, freshnessOf, isForAll, varyOf, whyNotStored } from './freshness.ts'
import { readContent } from './kept-content.ts'
import type { CachePlan } from './plan.ts'
import { documentLabel, ruleLabel, tagLabel } from './purge-labels.ts'
import type { Kept } from './response-cache.ts'
import { evaluateTags } from './tags.ts'

/** What keeping needs. */
export interface KeepPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly encode: Encode
  readonly conditions: Conditions
}

/** An answer as it was made. */
interface Made {
  readonly exchange: Exchange
  readonly route: CompiledOperation
  readonly reply: Reply
  /** undefined: the action was not run, or its fields failed. */
  readonly outcome: Outcome | undefined
  readonly context: Context | undefined
}

/** For whom it was made. */
interface Audience {
  readonly isOfUser: boolean
  readonly isAuthorized: boolean
}

/** What is kept, with its tags; or why not, with the reply. */
type Keeping =
  | { readonly kept: Kept; readonly labels: readonly string[] }
  | { readonly reply: Reply; readonly reason: string }

/** Those that belong to one answer only. */
const ofOneAnswer = new Set(['age', 'x-request-id', 'ratelimit', 'ratelimit-policy'])

/**
 * @param maxBytes of a body; a longer one is not kept
 * @throws ExpressionError where the body cannot be encoded; ServiceError where the upstream fails before its end
 */
export async function keepAnswer(
  plan: CachePlan,
  made: Made,
  audience: Audience,
  maxBytes: number,
  { clock, encode, conditions }: KeepPorts,
): Promise<Keeping> {
  const { exchange, route, outcome, context } = made
  const { inherited } = route
  const { reply } = made
  const now = clock.now()
  if (exchange.method !== 'get') return { reply, reason: 'method' }
  if (reply.error || reply.failure || !outcome || !context) return { reply, reason: 'error' }
  if (outcome.isOfUser && !audience.isOfUser) return { reply, reason: 'private' }
  const control = controlOf(reply.headers)
  const isOfUpstream = outcome.answer !== undefined && !outcome.results
  const answer = {
    ...{ status: reply.status, headers: reply.headers, control, isOfUpstream },
    ...audience,
  }
  const reason = whyNotStored(answer, plan)
  if (reason !== undefined) return { reply, reason }
  const { ageMs, freshMs, mayBeStale } = freshnessOf(answer, plan, now)
  if (freshMs <= 0) return { reply, reason: 'stale' }
  const labels = labelsOf(plan, route, context)
  if (labels === undefined) return { reply, reason: 'tags' }
  const varied = selectingFields(made)
  if (varied === undefined) return { reply, reason: 'vary' }
  const tagged = inherited.policies?.etag ? conditions.tagged(exchange, reply) : reply
  const read = await readContent(tagged, maxBytes, encode)
  if ('body' in read) return { reply: { ...reply, body: read.body }, reason: 'size' }
  const { content } = read
  if (content !== undefined && content.length > maxBytes) {
    return { reply: tagged, reason: 'size' }
  }
  const kept: Kept = {
    ...splitMarked(keptHeaders(tagged, now)),
    ...{ status: reply.status, content, codings: new CodedContent(), ageMs, mayBeStale },
    varied: varied.map((name) => [name, exchange.header(name)]),
    at: now,
    freshUntil: now + freshMs,
    isForAll: isForAll(control),
  }
  return { kept, labels }
}

/** `Date` is that of the answer, which its age is counted from (RFC 9110 §6.6.1). */
function keptHeaders({ headers, body }: Reply, now: number): Fields {
  const kept = Object.entries(headers).filter(([name]) => !ofOneAnswer.has(name))
  const type = body.kind === 'value' && { 'content-type': body.type }
  return { date: new Date(now).toUTCString(), ...type, ...Object.fromEntries(kept) }
}

/**
 * The fields that select the answer: those that the upstream names, whose answer may be in the body even where the gateway made
 * that. The types and languages that the gateway negotiates itself are in the key. undefined: no later request matches.
 */
function selectingFields({ route, reply, outcome }: Made): readonly string[] | undefined {
  const ofUpstream = outcome?.answer ? varyOf(outcome.answer.headers) : []
  if (ofUpstream.includes('*')) return undefined
  const inKey = [
    ...(route.negotiated ? ['accept'] : []),
    ...(route.path.version.languages.length > 1 ? ['accept-language'] : []),
  ]
  const ofReply = varyOf(reply.headers).filter((name) => !inKey.includes(name))
  const isEncoded = reply.headers['content-encoding'] !== undefined
  return [...new Set([...ofUpstream, ...ofReply, ...(isEncoded ? ['accept-encoding'] : [])])]
}

/** undefined: an expression failed, or did not yield a text. */
function labelsOf(
  plan: CachePlan,
  { path }: CompiledOperation,
  context: Context,
): readonly string[] | undefined {
  const { api } = path.version
  const [ofDocument, ofRule] = [documentLabel(api), ruleLabel(api, plan)]
  return evaluateTags(plan.tags, context)?.flatMap((tag) => [
    tagLabel(ofDocument, tag),
    tagLabel(ofRule, tag),
  ])
}
