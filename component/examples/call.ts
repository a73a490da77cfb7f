/** The call of an example of a procedure. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { DescribedCall } from '#component/explain/asked.ts'
import type { ProcedurePlan } from '#component/gateway/procedure-plan.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { isMatched } from '#component/syntax/wamp-uri.ts'

/** Who may call: whom the example does not describe further. */
const callerFor = ({ callers }: ProcedurePlan) => {
  const [authid = 'example'] = callers?.authids ?? []
  const [role] = callers?.roles ?? []
  return { authid, authroles: role === undefined ? [] : [role] }
}

/**
 * The call that an example describes.
 * @param written the member `invocation`, of valid shape
 * @param at its JSON Pointer
 * @returns the call; where the procedure does not answer it, the reason
 */
export function callOf(
  written: JsonMap,
  plan: ProcedurePlan,
  at: string,
): DescribedCall | { readonly issue: Issue } {
  const { uri, match } = plan
  const { procedure = match === 'exact' ? uri : undefined } = written
  const refuse = (message: string) => ({ issue: { path: pointer(at, 'procedure'), message } })
  if (typeof procedure !== 'string')
    return refuse(`the procedure is a pattern (${match}): name the URI that is called`)
  if (!isMatched(procedure, uri, match))
    return refuse(`the procedure ${uri} (${match}) does not match ${procedure}`)
  return { caller: callerFor(plan), ...written, procedure }
}
