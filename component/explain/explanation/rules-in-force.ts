/** The inheritable values that hold for an operation, each with where it is written. */

import type { Evaluated } from '#component/explain/recorder.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { ContentLimits } from '#component/request.ts'
import { covers, essenceOf, multipartType } from '#component/syntax/media-type.ts'
import type { RuleValue } from './explanation.ts'

const takesForms = (accepts: readonly string[]): boolean =>
  accepts.some((range) => covers(essenceOf(range), multipartType))

/** A file is never larger than its body. */
const withinBody = (multipart: ContentLimits['multipart'], most: number) => ({
  ...multipart,
  file_max_bytes: Math.min(multipart.file_max_bytes, most),
})

/** @param expressions of the request: times and counts may be computed from it */
export function rulesInForce(
  { inherited, action, procedure }: CompiledOperation,
  expressions: readonly Evaluated[],
): Record<string, RuleValue> {
  const {
    accepts,
    provides,
    admitsHttp,
    allowFrom,
    protection,
    limits: { multipart, ...limits },
    traceKwargs,
    sendsProblems,
    policies,
    writtenAt = {},
  } = inherited
  const { fixed, computed } = action.attempts
  const ofRequest = {
    ...limits,
    ...(takesForms(accepts) && { multipart: withinBody(multipart, limits.body_max_bytes) }),
    accepts,
    provides,
    schemes: admitsHttp ? ['http', 'https'] : ['https'],
    security: protection?.object ?? {},
  }
  const values: Record<string, unknown> = {
    ...fixed,
    ...(procedure === undefined && ofRequest),
    // that of a security object stands in it
    ...(writtenAt.allow_from !== undefined && { allow_from: allowFrom?.[0]?.texts }),
    ...(traceKwargs !== undefined && { trace: { kwargs: traceKwargs } }),
    ...(sendsProblems && { errors: 'problem' }),
    ...Object.fromEntries(inForce(policies).map(([kind, plan]) => [kind.key, kind.show(plan)])),
  }
  for (const [name, { path }] of computed) {
    values[name] = expressions.findLast(({ at }) => at === path)?.value ?? null
  }
  const rules: Record<string, RuleValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const written = computed.find(([key]) => key === name)?.[1].path ?? writtenAt[name]
    rules[name] = { value, at: written ?? null }
  }
  return rules
}
