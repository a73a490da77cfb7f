/** One rule per field of a specification, for literals in the document and for values folded from expressions. */
import { target } from '#component/action/forward/kind.ts'
import { wampArguments } from '#component/action/wamp-kind.ts'
import type { Issue } from '#component/errors.ts'
import { progressKeys, streamKeys, views } from '#component/spec/streams/stream-rules.ts'
import { action } from './action-rules.ts'
import { delivery } from './delivery-rules.ts'
import { headers, uri } from './http-rules.ts'
import { inheritable, ofPaths, scopes } from './inheritable.ts'
import { declared, extent, onError, onResult, operation, response } from './operation-rules.ts'
import { procedure } from './procedure-rules.ts'
import { Report } from './report.ts'
import type { Rule } from './rules.ts'

/** By name. */
const fieldRules = {
  ...inheritable,
  ...ofPaths,
  ...declared,
  ...extent,
  headers,
  defaults: scopes.defaults,
  options: wampArguments.options,
  args: wampArguments.args,
  kwargs: wampArguments.kwargs,
  procedure: uri,
  topic: uri,
  ...target,
  ...streamKeys,
  progress_timeout: progressKeys.progress_timeout,
  ...views,
  operation,
  action,
  response,
  on_result: onResult,
  on_error: onError,
  registered_procedure: procedure,
  delivery,
} satisfies Readonly<Record<string, Rule>>

/** The names of fields with a rule. */
export type FieldName = keyof typeof fieldRules

/**
 * Checks a value against the rule of a field, as validation does for literals. Texts that hold an expression are not
 * checked, at any depth.
 * @param path JSON Pointer of the value. `action: {}` is allowed only where it ends in `/options/action`.
 * @param warnings receives unknown keys, and values that are accepted but not served
 */
export function checkField(
  field: FieldName,
  value: unknown,
  path: string,
  warnings: Issue[] = [],
): Issue[] {
  const report = new Report(warnings)
  fieldRules[field](value, path, report)
  return report.issues
}
