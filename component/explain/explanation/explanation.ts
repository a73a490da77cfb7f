/** The answer of an explanation, as data. */
import type { ToldTool } from '#component/explain/called-tool.ts'
import type { Check } from '#component/explain/checks.ts'
import type { NearMiss } from '#component/explain/near-misses/near-misses.ts'
import type { RecordedAction } from '#component/explain/record.ts'
import type { EvaluatedStep } from '#component/explain/recorder.ts'
import type { SentFrame } from '#component/explain/rehearsal.ts'

/** The route that answers. */
export interface Matched {
  /** Of the document. */
  readonly id: string
  /** The key of the version. */
  readonly version: string
  readonly host: string
  /** As written, with base_path. */
  readonly pattern: string
  /** JSON Pointer of the path. */
  readonly path: string
  readonly method: string
  readonly bindings: Readonly<Record<string, string>>
  /** Of a path that the version adds. Only a call of a tool is run. */
  readonly endpoint?: string
  /** The tool that the request calls; absent: it calls none that there is. */
  readonly tool?: ToldTool
}

/** The procedure that answers a call. */
export interface MatchedProcedure {
  /** Of the document. */
  readonly id: string
  readonly realm_uri: string
  /** As the document registers it. */
  readonly uri: string
  readonly match: string
  /** JSON Pointer of the procedure. */
  readonly path: string
}

/** A value that holds, and the JSON Pointer of where it is written; null: the default. */
export interface RuleValue {
  readonly value: unknown
  readonly at: string | null
}

/** The evaluation of one expression. */
export interface ExplainedExpression {
  /** JSON Pointer. */
  readonly at: string
  readonly expression: string
  /** 1: a constant, known since the document was loaded. */
  readonly stage?: 1
  readonly steps: readonly EvaluatedStep[]
  /** Absent where it is missing, or the expression has failed. */
  readonly value?: unknown
  /** What was wrong, and the expression with a caret. */
  readonly failure?: string
}

/** What an action sends; `callees` of a call. */
export type ExplainedAction = RecordedAction

/** The answer to the request. */
export interface ExplainedResponse {
  /** Whether the outcome was not given. */
  readonly is_sample: boolean
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: unknown
  /** Of a stream: the events that its client would see of those that were given. */
  readonly frames?: readonly SentFrame[]
  /** Of a stream: the gateway cuts the connection. */
  readonly is_cut?: true
  /** What decides: JSON Pointers, or `rule: …`. */
  readonly from: { readonly status: string; readonly body: string }
}

/** What the caller of a procedure gets: a result or an error. */
export interface ExplainedAnswer {
  /** Whether the outcome was not given. */
  readonly is_sample: boolean
  readonly result?: ExplainedPayload
  readonly error?: ExplainedPayload & { readonly error_uri: string }
  /** The progressive results before it; absent: there are none. */
  readonly progress?: readonly ExplainedPayload[]
}

interface ExplainedPayload {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

/** Why the request is not answered as declared. */
export interface Problem {
  /** Of the answer. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly description: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
  /** JSON Pointer of what has failed in the document. */
  readonly at?: string
  readonly expression?: string
  /** From 1, in the text at `at`. */
  readonly column?: number
}

/** What depends on the outcome of the action. */
export interface ExplainedRun {
  readonly expressions: readonly ExplainedExpression[]
  /** Of an operation with a list of actions: those that ran. null: none. */
  readonly action: ExplainedAction | readonly ExplainedAction[] | null
  /** null: a generated endpoint, which is not run; or no route; or a call, which has an answer. */
  readonly response: ExplainedResponse | null
  /** Of a call: what its caller gets. */
  readonly answer?: ExplainedAnswer
  readonly problem: Problem | null
}

/** The answer. */
export interface Explanation extends ExplainedRun {
  /** null: no route answers. */
  readonly matched: Matched | null
  /** Of a call: which procedure answers; null: none. Absent: a request. */
  readonly procedure?: MatchedProcedure | null
  readonly near_misses: readonly NearMiss[]
  readonly checks: readonly Check[]
  readonly rules: Readonly<Record<string, RuleValue>>
  /** Where several were given, each by its name; the members above are those of the first. */
  readonly outcomes?: Readonly<Record<string, ExplainedRun>>
  /** Whether members were left out or cut, because the whole is too large. */
  readonly truncated?: true
}
