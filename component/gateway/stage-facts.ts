/** What each stage tells its listeners: plain data that the stage has anyway. */
import type { Outcome } from '#component/action/action.ts'
import type { RequestChecks } from '#component/gateway/schemas/request-checks.ts'
import type { Identity } from '#component/identity.ts'
import type { Method } from '#component/request.ts'
import type { BroughtAlternatives, Protection } from '#component/security/scheme.ts'
import type { AdmittedNetworks, EndpointKind } from './api.ts'

/** What the stage of a policy has checked, as explain tells it: in `findings` of its facts. */
export interface PolicyCheck {
  /** The key of the policy. */
  readonly step: string
  /** Whether the request may pass. */
  readonly passed: boolean
  readonly [fact: string]: unknown
}

/**
 * What the stages of policies use, by the names of their rows; each policy declares its own. A stage is there only where its port is.
 */
// biome-ignore lint/suspicious/noEmptyInterface: policies add to it
export interface StagePorts {}

/** Stage to facts; each policy declares those of its own stages. */
export interface StageFacts {
  method: { readonly method: Method; readonly allow: string }
  scheme: { readonly scheme: 'http' | 'https' }
  network: {
    readonly address: string
    readonly lists: readonly AdmittedNetworks[]
  }
  vary: object
  security: {
    readonly protection: Protection
    /** Who asks; nobody known where the request was refused. */
    readonly identity: Identity
    /** Of a path with alternatives: what the request brings of each. */
    readonly brought?: BroughtAlternatives
  }
  language: { readonly language: string }
  /** Of the call of a tool. */
  arguments: { readonly tool: string | undefined }
  negotiate: { readonly provides: readonly string[]; readonly type: string | undefined }
  body: {
    /** What `accepts` allows; undefined: the type of the body was not checked. */
    readonly accepts: readonly string[] | undefined
    readonly contentType: string | undefined
    /** Whether `accepts` names it; true where it was not checked. */
    readonly isAccepted: boolean
    /** Whether it is decoded; else it is passed on, kept as bytes or dropped. */
    readonly isDecoded: boolean
    /** Bytes of a decoded body; 0 without one. */
    readonly bytes: number
  }
  /** Each part that is checked is heard before, by `judged`. */
  schema: { readonly checks: RequestChecks }
  resume: { readonly isResumed: boolean }
  token: Record<never, never>
  action: {
    /** undefined: the actions were refused, or their expressions failed. */
    readonly outcome: Outcome | undefined
  }
  render: {
    /** The declaration that made the answer; undefined: another stage did, or the gateway itself. */
    readonly source: 'on_result' | 'on_error' | undefined
  }
  preflight: Record<never, never>
  endpoint: { readonly kind: EndpointKind }
}
