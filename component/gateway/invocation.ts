/** The call of a procedure as expressions read it, and who is believed to call. */

type JsonMap = Readonly<Record<string, unknown>>

/** Who calls, as far as the router discloses it; empty where it does not. */
export interface Caller {
  readonly session?: unknown
  readonly authid?: string
  readonly authrole?: string
  readonly authroles?: readonly string[]
}

/** The keys of {@link Invocation}, in the order of the docs. */
export const invocationKeys = [
  'id',
  'procedure',
  'components',
  'args',
  'kwargs',
  'details',
  'caller',
] as const

/** `invocation` of the API Context. */
export interface Invocation {
  /** Of the log and of `X-Request-Id`. */
  readonly id: string
  /** The URI that was called. */
  readonly procedure: string
  /** Its parts between the dots. */
  readonly components: readonly string[]
  readonly args: readonly unknown[]
  readonly kwargs: JsonMap
  /** INVOCATION.Details. */
  readonly details: JsonMap
  /** Set before any expression is evaluated. */
  caller: Caller
}

/** What the gateway knows of those who call. */
export interface CallerPorts {
  /** Whether the router is the embedded one, which tells all roles of a caller. */
  readonly tellsAllRoles: boolean
  /** The role of gateways that name the user whom they call for. */
  readonly gatewayRole: string
  /** The roles that the realm gives a user now; undefined: it does not know the user. */
  rolesOf(realm_uri: string, authid: string): readonly string[] | undefined
}
