/** What is known at load of a procedure that a document registers, beside its action. */

import type { MismatchMode, MismatchSink } from '#component/gateway/schemas/mismatches.ts'
import type { ValueCheck } from '#component/gateway/schemas/value-check.ts'
import type { RegisteredProcedure } from '#component/routes/procedure-place.ts'
import type { Computed } from './api.ts'
import type { Live } from './header-layers.ts'

/** Who may call. Both are empty: every caller that the router discloses. */
interface CallersPlan {
  readonly roles: ReadonlySet<string>
  readonly authids: ReadonlySet<string>
}

/** The schemas of the arguments. */
export interface InputPlan {
  readonly mode: MismatchMode
  readonly sink: MismatchSink
  readonly parts: readonly (readonly [part: 'args' | 'kwargs', check: ValueCheck])[]
}

/** The arguments of a YIELD or an ERROR; what is undefined is as the action gives it. */
export interface YieldPlan {
  readonly args: Computed | undefined
  readonly kwargs: Computed | undefined
}

/** `on_error`. */
interface ErrorPlan extends YieldPlan {
  readonly uri: Computed | undefined
}

/** The error URIs for the statuses of upstreams. */
export interface ErrorUris {
  /** `error_uris` of the document: by `404` or `4XX`. */
  readonly declared: ReadonlyMap<string, string>
  /** The one URI that `status_codes` of the document has for a status. */
  readonly ofStatus: ReadonlyMap<number, string>
}

/** One procedure. */
export interface ProcedurePlan extends RegisteredProcedure {
  /** undefined: anybody may call. */
  readonly callers: CallersPlan | undefined
  /** Whether callers have answers of their own: something reads, or acts for, the caller. */
  readonly isOfCaller: boolean
  readonly input: InputPlan | undefined
  readonly on_result: YieldPlan
  readonly on_error: ErrorPlan
  /** How the pieces of an upstream's response are told; undefined: it is read whole. */
  readonly on_progress: YieldPlan | undefined
  readonly errorUris: ErrorUris
}

/** The nodes of `on_progress`, which are evaluated for each piece. */
export const nodesOfProgress = ({
  on_progress: { args, kwargs } = { args: undefined, kwargs: undefined },
}: Pick<ProcedurePlan, 'on_progress'>): readonly Live[] =>
  [args, kwargs].flatMap((one) => (one ? [one.node] : []))

/** The nodes of an answer that are evaluated for each call. */
export function nodesOfProcedure({
  on_result,
  on_error,
}: Pick<ProcedurePlan, 'on_result' | 'on_error'>): readonly Live[] {
  const all = [on_result.args, on_result.kwargs, on_error.uri, on_error.args, on_error.kwargs]
  return all.flatMap((one) => (one ? [one.node] : []))
}
