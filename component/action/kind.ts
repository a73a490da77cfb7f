/** What an action is, as all that deal with actions need to know: the row of its type. */
import type { ErrorUri } from '#component/errors.ts'
import type { Report } from '#component/spec/report.ts'
import type { Shape } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { ActionFields, SocketTerms } from './action.ts'
import type { AttemptEnd } from './watching/attempt-end.ts'

/**
 * How a field is compiled: `value` as any value; `path`, `query` and `upstream_headers` so that no value of a request changes what
 * they mean to an upstream; `strip_prefix` in place of the path; `topic` held to its pattern; `known` where no request may decide it;
 * `number` and `text` checked for each request as the document is.
 */
export type FieldForm =
  | 'value'
  | 'path'
  | 'query'
  | 'upstream_headers'
  | 'strip_prefix'
  | 'topic'
  | 'known'
  | 'number'
  | 'text'

/** How the attempts of an action are measured. */
export interface AttemptMetric {
  /** Of the histogram of their durations; seconds. */
  readonly name: string
  readonly help: string
  /** The word for how an attempt has ended. @param isReady whether there was a session */
  outcomeOf(end: AttemptEnd, isReady: boolean): string
}

/** What an action reaches beyond the gateway. */
export interface Reach {
  readonly by: 'wamp' | 'http'
  /** The field that names it. */
  readonly field: string
  /** What the log and metrics call it. */
  readonly label: 'procedure' | 'topic' | 'upstream'
  /** A field that names a target which is known at load, in the place of {@link field}, and the error of one that cannot be reached. */
  readonly named: { readonly field: string; readonly errors: readonly ErrorUri[] } | undefined
  /** The name of the target that a value of the field stands for, the same for each spelling; undefined: the value is no target. */
  nameOf(value: string): string | undefined
  /** Whether the action sends something in the name of a user. */
  readonly isSent: boolean
  /** Whether it has a peer whose failures a circuit breaker counts. */
  readonly isGuarded: boolean
  readonly metric: AttemptMetric
  /** The key of an OpenAPI operation whose value is the name of the target in an import; undefined: an import has no such key. */
  readonly importedFrom: string | undefined
}

/** The name of what fields reach; undefined: their value is no target, or not known. */
export function reachedBy(reaches: Reach, fields: Readonly<Record<string, unknown>>) {
  const name = reaches.named === undefined ? undefined : fields[reaches.named.field]
  if (typeof name === 'string') return name
  const value = fields[reaches.field]
  return typeof value === 'string' ? reaches.nameOf(value) : undefined
}

/** What an action needs where no request calls for it. */
interface OfInvocations {
  /** The keys that it takes of the request elsewhere, and what they are; a document must have them. */
  readonly required: Readonly<Record<string, string>>
  /** The keys that are of requests alone, and why. */
  readonly refused: Readonly<Record<string, string>>
  /** The fields that hold where a document does not have them, in place of those of the request. */
  readonly fields: ActionFields
}

/** What an action answers with that the gateway has itself: under `get`, alone, without a body of the document, and not published unless the document says so. */
interface Serves {
  /** The field that names what the configuration has. */
  readonly rootField: string
  /** The field that says what of it is served; absent: the rest of the path. */
  readonly pathField: string
}

/** The row of a type. Every row has all keys, so that what reads them for each request meets one shape. */
export interface ActionKind {
  readonly type: string
  /** The keys of the action beside `type`, and their rules. */
  readonly shape: Shape
  /** Reports what no rule of a single key can. @param path JSON Pointer of the action */
  check(action: JsonMap, path: string, report: Report): void
  /** The fields that are evaluated, in this order, and how they are compiled. */
  readonly fields: Readonly<Record<string, FieldForm>>
  /** Undefined: it cannot answer the call of a procedure. */
  readonly ofInvocations: OfInvocations | undefined
  /** Undefined: it reaches nothing, so it waits for no slot, is attempted once and fails with its expressions only. */
  readonly reaches: Reach | undefined
  /** Present where the result of the action is the response, `{body, headers}`: whether the fields alone decide the response, or the request does, too. */
  readonly answers: 'fixed' | 'computed' | undefined
  /** Whether the request is passed on to an upstream, and the answer of that to the client. */
  readonly passesOn: boolean
  /** Undefined: it serves nothing of the gateway's own. */
  readonly serves: Serves | undefined
  /** The stream that it begins: always, or where the response has one of the views. */
  readonly begins: 'events' | 'progress' | undefined
  /** Whether the body of a request may be streamed to it (`"body": "stream"`). */
  readonly takesBody: boolean
  /** The key that says whether requests may open WebSockets through it; undefined: none may. */
  readonly socketKey: string | undefined
  /** What that key says, of fields that are known at load. */
  socketTerms(fields: ActionFields): SocketTerms | undefined
  /** The keys of a response that tell the parts of its stream. */
  readonly views: readonly string[]
  /** The field that names the delivery of the document which it hands an event to; undefined: it hands in none. */
  readonly handsTo: string | undefined
  /** Whether it acts for the user of the request alone: the operation needs security, and the delivery that it names `to.endpoints`. */
  readonly isOfUser: boolean
  /** The members of `action.result`; undefined: there is no result. */
  readonly result: readonly string[] | undefined
  /** The members of `action.error` beside those that all errors have. */
  readonly error: readonly string[]
  /** What the action fails with beside its expressions and what it reaches. @param fixed the fields that no request decides */
  errorsOf(fixed: ActionFields): readonly ErrorUri[]
  /** The fields that may hold the access token of the identity provider. */
  readonly tokenFields: readonly string[]
  /** Present where it performs other actions. */
  readonly branches: BranchKeys | undefined
  /** Whether another action may perform it. */
  readonly isBranch: boolean
}

/** What the actions are that an action performs. */
interface BranchKeys {
  /** The key of its actions. */
  readonly field: string
  /** A map of actions by name, or one action that is performed for each item of a list. */
  readonly of: 'names' | 'items'
}

/** A row, as its type declares it: what it leaves out, it does not have. */
type Declared = Pick<ActionKind, 'type' | 'shape' | 'fields'> & Partial<ActionKind>

/** Of an action that takes nothing of the request. */
export const anyInvocation: OfInvocations = { required: {}, refused: {}, fields: {} }

/** Makes a row. */
export const actionKind = <T extends string>(
  declared: Declared & { readonly type: T },
): ActionKind & { readonly type: T } => ({
  type: declared.type,
  shape: declared.shape,
  check: declared.check ?? (() => undefined),
  fields: declared.fields,
  ofInvocations: declared.ofInvocations,
  reaches: declared.reaches,
  answers: declared.answers,
  passesOn: declared.passesOn ?? false,
  serves: declared.serves,
  begins: declared.begins,
  takesBody: declared.takesBody ?? false,
  socketKey: declared.socketKey,
  socketTerms: declared.socketTerms ?? (() => undefined),
  views: declared.views ?? [],
  handsTo: declared.handsTo,
  isOfUser: declared.isOfUser ?? false,
  result: declared.result,
  error: declared.error ?? [],
  errorsOf: declared.errorsOf ?? (() => []),
  tokenFields: declared.tokenFields ?? [],
  branches: declared.branches,
  isBranch:
    declared.isBranch ??
    (declared.branches === undefined &&
      declared.serves === undefined &&
      declared.begins !== 'events'),
})
