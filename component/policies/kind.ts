/** What a policy is, as all that deal with policies need to know: the describing half of its row. `serve.ts` has the other half. */
import type { Issue } from '#component/errors.ts'
import type { Node } from '#component/expression/compile.ts'
import type { CompiledOperation, PolicyPlans } from '#component/gateway/api.ts'
import type { Method } from '#component/request.ts'
import type { Rule } from '#component/spec/rules.ts'
import type { PolicyAnswers } from './answers.ts'

/** A value that may depend on the request. */
type Live = Exclude<Node, { readonly kind: 'broken' }>

/** A compiled value, and the JSON Pointer of where it is written. */
export interface Found {
  readonly node: Live
  readonly path: string
}

/** What a policy is compiled from. */
export interface PolicySources {
  readonly key: string
  /** The value that holds for its key; never a broken one. */
  readonly found: Found
  /** The id of the specification. */
  readonly api: string
  readonly issues: Issue[]
}

/** What a policy evaluates for a request, and where it is written. */
export interface EvaluatedPart {
  /** JSON Pointer. */
  readonly at: string
  readonly nodes: readonly Live[]
}

/** The row of a policy. */
export interface PolicyKind<Plan = unknown> {
  /** Of operations, paths and `defaults`; the nearest one holds. */
  readonly key: string
  /** Its validation and its JSON Schema. */
  readonly rule: Rule
  /**
   * The value that holds where a document sets none.
   * @param gateway that section of the configuration
   */
  configured(gateway: Readonly<Record<string, unknown>>): unknown
  /** Called where its key is set. @returns undefined: it does not hold */
  compile(sources: PolicySources): unknown
  /** Whether it holds for calls of procedures that a document registers, too. */
  readonly isOfInvocations: boolean
  /** What of it cannot hold there. */
  refuseInvocations(plan: Plan): readonly Issue[]
  /** The name of what gateways of earlier versions do not know, and would serve without; undefined: there is none. */
  readonly feature: string | undefined
  /** The errors that its actions, and no others, fail with. */
  readonly actionErrors: readonly string[]
  /** Whether it compares answers, so that an upstream is asked for the whole of them. */
  readonly comparesAnswers: boolean
  /** Whether clients get parts of answers, so that a document may tell where a body stands in the whole. */
  readonly cutsAnswers: boolean
  /** Whether it keeps answers for later requests, so that no answer may be a WebSocket. */
  readonly keepsAnswers: boolean
  /** Whether it compares the bodies of requests that are repeated. */
  readonly comparesBodies: boolean
  /** As a document writes it, with all that holds by default. */
  show(plan: Plan): unknown
  evaluates(plan: Plan): readonly EvaluatedPart[]
  /** Whether events of topics change what it keeps: its routes stay compiled, and their realm has a session. */
  hearsEvents(plan: Plan): boolean
  /** JSON Pointer of what gives all users one answer; undefined: each has their own. */
  sharedAt(plan: Plan): string | undefined
  /** A warning of an operation that has it in vain. @param at JSON Pointer of the operation */
  warn(plan: Plan, method: Method, at: string): Issue | undefined
  /** A warning of a document where the store cannot keep what the policy promises. @param url `store.url` @param others gateways that are there */
  warnOfStore(url: string, others: number): string | undefined
  /** What it adds to the description of an operation. */
  describe(plan: Plan, operation: CompiledOperation, method: Method): PolicyAnswers
}

/** A row, as its policy declares it: what it leaves out, it does not have. */
interface Declared<Plan> extends Partial<PolicyKind<Plan>> {
  readonly rule: Rule
  compile(sources: PolicySources): Plan | undefined
  show(plan: Plan): unknown
}

/** A row, and its plan among those that hold at one place. */
export type PolicyRow<Key extends string, Plan> = PolicyKind<Plan> & {
  readonly key: Key
  /** Undefined: it does not hold. */
  planOf(plans: PolicyPlans | undefined): Plan | undefined
}

const none: readonly never[] = []

/** Makes a row. */
export const policyKind = <Key extends string, Plan>(
  key: Key,
  declared: Declared<Plan>,
): PolicyRow<Key, Plan> => ({
  configured: () => undefined,
  feature: undefined,
  isOfInvocations: false,
  refuseInvocations: () => none,
  actionErrors: none,
  comparesAnswers: false,
  cutsAnswers: false,
  keepsAnswers: false,
  comparesBodies: false,
  evaluates: () => none,
  hearsEvents: () => false,
  sharedAt: () => undefined,
  warn: () => undefined,
  warnOfStore: () => undefined,
  describe: () => ({}),
  ...declared,
  key,
  planOf: (plans) => plans?.[key] as Plan | undefined,
})

/** A value that is known at load, and the JSON Pointer of where it is written. */
export interface Known {
  readonly value: unknown
  readonly path: string
}

/** A value that may not depend on the request; undefined when it does, which is reported. */
export function constantOf({ key, found, issues }: PolicySources): Known | undefined {
  if (found.node.kind === 'constant') return { value: found.node.value, path: found.path }
  const message = `${key} must be known when the specification is loaded: it may not depend on the request`
  issues.push({ path: found.path, message })
  return undefined
}
