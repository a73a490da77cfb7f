/** What was checked of a request, in the words of an explanation: made of what its stages say of themselves. */
import { pointer } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation, CompiledTool } from '#component/gateway/api.ts'
import { isAdmittedFrom } from '#component/gateway/checks.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { JudgedPart, MismatchMode } from '#component/gateway/schemas/mismatches.ts'
import type { PolicyCheck, StageFacts } from '#component/gateway/stage-facts.ts'
import type { Identity } from '#component/identity.ts'
import { refusalIn } from '#component/login-refusal.ts'
import { told } from '#component/schema/mistakes.ts'
import { isMap } from '#component/syntax/values.ts'

/** One thing that was checked, beside what the stages of policies have; its other members are what was found or chosen. */
interface GatewayCheck {
  readonly step:
    | 'scheme'
    | 'network'
    | 'security'
    | 'caller'
    | 'accept'
    | 'language'
    | 'arguments'
    | 'content_type'
    | 'body'
    | 'schema'
    | 'response_schema'
  /** Whether the request goes on, or the answer leaves. */
  readonly passed: boolean
  readonly [fact: string]: unknown
}

/** One thing that was checked. Of a real request `us` is when that was known, in microseconds since the request came. */
export type Check = (GatewayCheck | PolicyCheck) & { readonly us?: number }

/** What serves the request. */
export interface Serving {
  readonly operation: CompiledOperation
  /** Which tool of the operation is called; absent: none. */
  readonly tool?: CompiledTool | undefined
}

/** The refusal of a check. */
const problemOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof ServiceError ? { problem: { code: error.uri, message: error.message } } : {}

/** The checks of a stage. @param error why it refuses the request */
type Row<Name extends keyof StageFacts> = (
  facts: StageFacts[Name],
  serving: Serving,
  error: unknown,
) => readonly Check[]

/** How one of the alternatives of a path has decided; `user` and `proofs` are null where none has let the request pass. */
function decided(
  { alternatives, decided }: NonNullable<StageFacts['security']['brought']>,
  { authid, authroles, authmethod, proofs = [] }: Identity,
  error: unknown,
): Check {
  const passed = error === undefined
  return {
    ...{ step: 'security', alternatives, decided, passed },
    user: passed ? { authid, authroles, authmethod } : null,
    proofs: passed ? proofs : null,
    ...problemOf(error),
    ...(!passed && { reason: refusalIn(error)?.reason ?? null }),
  }
}

/** The stages that check something, beside those of policies; `scheme` and `network` are in {@link admission}, `schema` in {@link requestFit}. */
const rows: { readonly [Name in keyof StageFacts]?: Row<Name> } = {
  security({ protection, identity, brought }, { operation }, error) {
    const { type, demand } = protection
    const at = operation.inherited.protectedAt ?? null
    if (brought) return [{ ...decided(brought, identity, error), at }]
    if (error !== undefined) {
      // clients are not told what they lack; operators are
      const reason = demand && refusalIn(error)?.reason
      const why = reason === undefined ? {} : { reason }
      return [{ step: 'security', type, passed: false, at, ...why, ...problemOf(error) }]
    }
    const { authid, authroles, authmethod } = identity
    return [{ step: 'security', type, passed: true, authid, authroles, authmethod, at }]
  },
  caller: ({ caller }, _serving, error) => [
    { step: 'caller', passed: error === undefined, caller, ...problemOf(error) },
  ],
  language: ({ language }) => [{ step: 'language', passed: true, chosen: language }],
  // the client of a tool chooses no type
  negotiate: ({ provides, type }, { tool }) =>
    tool
      ? []
      : type === undefined
        ? [{ step: 'accept', passed: false, provides }]
        : [{ step: 'accept', passed: true, chosen: type }],
  arguments(_facts, { tool }, error) {
    const at = tool ? pointer(tool.at, 'input') : null
    const { details } = error instanceof ServiceError ? error : {}
    return [{ step: 'arguments', passed: error === undefined, ...(details && { details }), at }]
  },
  body({ accepts, contentType: type = null, isAccepted, isDecoded, bytes }, _serving, error) {
    const checks: Check[] = []
    if (accepts) checks.push({ step: 'content_type', passed: isAccepted, type, accepts })
    if (!isAccepted || !isDecoded) return checks
    const passed = error === undefined
    return [...checks, { step: 'body', passed, ...(passed ? { bytes } : problemOf(error)) }]
  },
}

/** What a stage has checked. */
export const checksOf = <Name extends keyof StageFacts>(
  name: Name,
  facts: StageFacts[Name],
  serving: Serving,
  error: unknown,
): readonly Check[] => rows[name]?.(facts, serving, error) ?? findingsOf(facts)

/** What the stage of a policy tells itself. */
const findingsOf = (facts: object): readonly PolicyCheck[] =>
  'findings' in facts ? (facts.findings as readonly PolicyCheck[]) : []

/** What every request is checked for first, also where the route admits all and has no stage for it. */
export function admission(
  { operation: { inherited } }: Serving,
  { scheme, client: address }: Pick<Exchange, 'scheme' | 'client'>,
): readonly Check[] {
  const { admitsHttp, allowFrom, writtenAt } = inherited
  const ofScheme: Check = {
    ...{ step: 'scheme', passed: admitsHttp || scheme === 'https', scheme },
    at: writtenAt?.schemes ?? null,
  }
  if (allowFrom === undefined) return [ofScheme]
  const passed = isAdmittedFrom(address, allowFrom)
  return [ofScheme, { step: 'network', passed, address, at: writtenAt?.allow_from ?? null }]
}

/** Has `mistakes` where something does not fit. */
const fitOf = (mode: MismatchMode, parts: readonly JudgedPart[]) => {
  const mistakes = parts.flatMap((part) => told(part.mistakes ?? []))
  const isFit = mistakes.length === 0
  return { passed: isFit || mode === 'log', mode, ...(!isFit && { mistakes }) }
}

/** How the parts of a request fit their schemas; `read` has the values that were read from texts, by JSON Pointer. */
export function requestFit(mode: MismatchMode, parts: readonly JudgedPart[]): Check {
  const read: Record<string, unknown> = {}
  for (const { part, value, received } of parts) {
    if (value === received || !isMap(value) || !isMap(received)) continue
    for (const [name, each] of Object.entries(value)) {
      if (each !== received[name]) read[pointer('', part, name)] = each
    }
  }
  const { passed, ...rest } = fitOf(mode, parts)
  return { step: 'schema', passed, read, ...rest }
}

/** How an answer fits its schema. */
export const answerFit = (part: JudgedPart): Check => ({
  step: 'response_schema',
  ...fitOf(part.mode, [part]),
})
