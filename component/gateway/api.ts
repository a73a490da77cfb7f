/** What compiling makes of a specification: routes with everything decided that can be decided before a request. */
import type { ActionType, Attempts } from '#component/action/action.ts'
import type { Identity } from '#component/identity.ts'
import type { Semaphore } from '#component/limits/semaphore.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { Protection } from '#component/security/scheme.ts'
import type { Encodings } from './encodings.ts'
import type { BodyLimits } from './exchange.ts'
import type { HeaderLayer, Live } from './header-layers.ts'

/** A compiled API Specification. */
export interface Api {
  readonly id: string
  readonly realm_uri: string
  readonly entries: readonly RouteEntry<Route>[]
}

/** What a request is routed to: an operation of the document, or a generated endpoint. */
export type Route = CompiledOperation | Endpoint

/** What an endpoint does that `oauth2` security brings along. */
export type OAuthKind =
  | 'oauth.token'
  | 'oauth.revoke'
  | 'oauth.introspect'
  | 'oauth.verify'
  | 'oauth.jwks'
  | 'oauth.metadata'

/** What an endpoint does that `oidc` security brings along. */
export type OidcKind = 'oidc.login' | 'oidc.callback' | 'oidc.logout'

/** What a generated endpoint does. */
export type EndpointKind = OAuthKind | OidcKind

/** One method of a path that no document declares: its security brings it along (behaviour: OAuth2, OIDC). */
export interface Endpoint {
  readonly kind: EndpointKind
  readonly realm_uri: string
  /** The host pattern of the document. */
  readonly host: string
  /** base_path of the version, as written. */
  readonly base: string
  /** The security object that brought it. */
  readonly security: Readonly<Record<string, unknown>>
  readonly path: CompiledPath
}

/** What holds for a path, and for an operation unless its own keys, or those of its action, say otherwise. */
export interface Rules {
  readonly accepts: readonly string[]
  readonly provides: readonly string[]
  /** Does the document say `accepts`, and `provides`, anywhere? Only then they bind a forward that passes bodies on. */
  readonly declares: { readonly accepts: boolean; readonly provides: boolean }
  /** Media types of an error's body, by preference when equal: `provides`, then problem+json. */
  readonly errorTypes: readonly string[]
  /** May the path be reached over plain http? */
  readonly admitsHttp: boolean
  /** undefined: open. */
  readonly protection: Protection | undefined
  /** JSON Pointer of the security object; `""` where there is none. */
  readonly protectedAt: string
  readonly attempts: AttemptsPlan
  readonly limits: BodyLimits
}

/** What all paths of a version have in common: one object, so that thousands of routes fit into the caches of a processor. */
export interface CompiledVersion {
  /** The id of the specification. */
  readonly api: string
  readonly realm_uri: string
  /** base_path, as written. */
  readonly base: string
  readonly languages: readonly string[]
  /** Who acts on an open path. */
  readonly anonymous: Identity
  /** Behaviour: `pool_size`. */
  readonly pool: Semaphore
}

/** One path of one version. */
export interface CompiledPath {
  readonly version: CompiledVersion
  /** One object for all paths that say nothing themselves. */
  readonly rules: Rules
  /** base_path + path, as written. */
  readonly pattern: string
  /** The headers known at load time, on every answer: the path's, Deprecation, Sunset. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The path's headers that depend on the request. */
  readonly layer: HeaderLayer
  /** `Allow`: the declared methods and the implied HEAD and OPTIONS. */
  readonly allow: string
}

/** A declared value that may depend on the request, with the JSON Pointer of where it stands. */
export interface Computed {
  readonly node: Live
  readonly path: string
}

/** What an operation does. */
export interface ActionPlan {
  /** `none`: `action: {}`, for OPTIONS only. */
  readonly type: ActionType | 'none'
  /** Fields that are the same for every request. */
  readonly fixed: Readonly<Record<string, unknown>>
  readonly computed: readonly (readonly [name: string, node: Live])[]
  /** The names of `computed`. */
  readonly computedNames: ReadonlySet<string>
  /** Forward: is the request's body passed on unread? */
  readonly passesBody: boolean
  /** Forward: does an expression read the upstream's body? */
  readonly readsAnswer: boolean
}

/** `on_result` or `on_error`. */
export interface ResponsePlan {
  /** Headers known at load time, the path's included. */
  readonly headers: Readonly<Record<string, string>>
  /** What is laid over them per request, in this order. */
  readonly layers: readonly HeaderLayer[]
  readonly status: number | Computed | undefined
  /** undefined: the document has no such key. */
  readonly body: Live | undefined
  readonly uri: Computed | undefined
}

/** Times and counts, each fixed or computed from the request. */
export interface AttemptsPlan {
  readonly fixed: Attempts
  readonly computed: readonly (readonly [name: keyof Attempts, value: Computed])[]
}

/** One method of one path. */
export interface CompiledOperation {
  /** Only endpoints have one. */
  readonly kind?: undefined
  readonly path: CompiledPath
  readonly rules: Rules
  readonly action: ActionPlan
  /** Does any expression read `request.body` or `request.body_length`? */
  readonly readsBody: boolean
  /** Media types to negotiate before the action; undefined: nothing to refuse. */
  readonly negotiated: readonly string[] | undefined
  /** Is a body of a type outside `accepts` refused? */
  readonly checksType: boolean
  readonly on_result: ResponsePlan
  readonly on_error: ResponsePlan
  /** Where the body of a success is the same for every request, and its media types are known. */
  readonly encodings: Encodings | undefined
  /** Error URI ─▶ HTTP status: the specification's over the initial table. */
  readonly status_codes: ReadonlyMap<string, number>
}
