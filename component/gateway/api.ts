/** The types of a compiled specification: routes with everything decided that can be decided before a request. */
import type { Attempts, Run, SocketTerms } from '#component/action/action.ts'
import type { ActionKind } from '#component/action/kind.ts'
import type { ActionType } from '#component/action/kinds.ts'
import type { ActionTarget } from '#component/action/watching/action-target.ts'
import type { Node } from '#component/expression/nodes.ts'
import type { RequestChecks } from '#component/gateway/schemas/request-checks.ts'
import type { ResponseCheck } from '#component/gateway/schemas/response-check.ts'
import type { ValueCheck } from '#component/gateway/schemas/value-check.ts'
import type { Identity } from '#component/identity.ts'
import type { Semaphore } from '#component/limits/semaphore.ts'
import type { ContentLimits, Method, StreamedBody } from '#component/request.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { Protection } from '#component/security/scheme.ts'
import type { ApiSpec, Version, VersionCors } from '#component/spec/model.ts'
import type { ValidationMode } from '#component/spec/request-rules.ts'
import type { IpRange } from '#component/syntax/ip-address.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { ServerName } from '#component/tool/eras.ts'
import type { ToolDefinition } from '#component/tool/list.ts'
import type { Encodings } from './encodings.ts'
import type { HeaderLayer, Live } from './header-layers.ts'
import type { ProcedurePlan } from './procedure-plan.ts'
import type { Stage } from './stage.ts'
import type { ProgressPlan, StreamPlan } from './stream-plan.ts'

/** A compiled API Specification. */
export interface Api {
  readonly id: string
  readonly realm_uri: string
  /** What a gateway must know in order to serve it; empty for a document without such keys. */
  readonly features: readonly string[]
  readonly entries: readonly RouteEntry<Route>[]
  /** The active versions. */
  readonly versions: readonly DescribedVersion[]
}

/** An active version with its document, for what describes it to people and tools. */
export interface DescribedVersion {
  readonly spec: ApiSpec
  readonly version: Version
  /** Its declared paths, in the order of the document. */
  readonly entries: readonly RouteEntry<Route>[]
}

/** The target of a request: an operation of the document, or a generated endpoint. */
export type Route = CompiledOperation | Endpoint

/** The endpoints that `oauth2` security generates; `oauth.resource` also `jwt`. */
export type OAuthKind =
  | 'oauth.token'
  | 'oauth.revoke'
  | 'oauth.introspect'
  | 'oauth.verify'
  | 'oauth.jwks'
  | 'oauth.metadata'
  | 'oauth.resource'

/** The endpoints that `oidc` security generates. */
export type OidcKind =
  | `oidc.${'login' | 'callback' | 'jwks' | 'logout'}`
  | 'oidc.backchannel_logout'

/** The endpoints that `openapi` of a version generates. */
export type OpenApiKind = 'openapi.document' | 'openapi.docs' | 'openapi.asset'

/** The metadata of the endpoint that `mcp` of a version generates; only where its tools want tokens. */
export type McpKind = 'mcp.resource'

/** The kinds of generated endpoints that are not a part of the gateway proper. */
export type OuterKind = OAuthKind | OidcKind | OpenApiKind | McpKind

/** The kinds of generated endpoints. */
export type EndpointKind = OuterKind | 'mcp'

/** One method of a generated path: the security, the `openapi` or the `mcp` of a version adds it, the document does not declare it (behaviour: OAuth2, OIDC). */
interface AnyEndpoint {
  readonly realm_uri: string
  /** The host pattern of the document. */
  readonly host: string
  /** base_path of the version, as written. */
  readonly base: string
  /** The object that generates it: a security object, `openapi` or `mcp` of the version. */
  readonly security: Readonly<Record<string, unknown>>
  readonly described: DescribedVersion
  readonly path: CompiledPath
}

/** A generated endpoint that is not a part of the gateway proper. */
interface OuterEndpoint extends AnyEndpoint {
  readonly kind: OuterKind
}

/** One tool. */
export interface CompiledTool {
  readonly definition: ToolDefinition
  /** JSON Pointer of `tool`. */
  readonly at: string
  readonly method: Method
  readonly operation: CompiledOperation
  /** Those of its calls. */
  readonly stages: readonly Stage[]
  /** The forms of the whole pattern of its path. */
  readonly forms: readonly KeyedForm[]
  /** The arguments that become bindings: those that its path binds below base_path. */
  readonly bindings: ReadonlySet<string>
  /** What all arguments together are checked against. */
  readonly input: ValueCheck
}

/** Tools that one judgement of a request decides about. */
export interface ToolGroup {
  /** undefined: they are open. */
  readonly protection: Protection | undefined
  readonly tools: readonly CompiledTool[]
}

/** The tools of a version, and what its endpoint says of itself. */
export interface ToolSet {
  /** Its version is the label of the version. */
  readonly server: ServerName
  readonly instructions: string | undefined
  readonly maxResultBytes: number
  /** In the order of the document. */
  readonly tools: readonly CompiledTool[]
  readonly byName: ReadonlyMap<string, CompiledTool>
  readonly groups: readonly ToolGroup[]
  /** Whether everybody sees all of them. */
  readonly isPublic: boolean
}

/** The endpoint of `mcp`. */
export interface ToolsEndpoint extends AnyEndpoint {
  readonly kind: 'mcp'
  readonly tools: ToolSet
}

/** A generated endpoint. */
export type Endpoint = OuterEndpoint | ToolsEndpoint

/** A list of networks, as it is written. */
export interface AdmittedNetworks {
  readonly texts: readonly string[]
  readonly ranges: readonly IpRange[]
}

/** The inheritable values that hold for a path, and for an operation that sets none of its own (behaviour: Priority of a value). */
export interface InheritedValues {
  readonly accepts: readonly string[]
  readonly provides: readonly string[]
  /** The same as the document writes it: with the types of streams, which hold only where an answer may be one. */
  readonly offers: readonly string[]
  /** Whether the document sets `accepts` and `provides`: only then do they bind a forward that passes bodies on. */
  readonly declares: { readonly accepts: boolean; readonly provides: boolean }
  /** Media types of an error's body, by preference when equal: `provides`, then problem+json; with `errors: problem` this is the first. */
  readonly errorTypes: readonly string[]
  /** Whether errors are problem details wherever the client takes them (`errors: problem`). */
  readonly sendsProblems: boolean
  /** Whether the path is served over plain http. */
  readonly admitsHttp: boolean
  /** The networks that requests may come from; each of them holds. undefined: from everywhere. */
  readonly allowFrom: readonly AdmittedNetworks[] | undefined
  /** undefined: open. */
  readonly protection: Protection | undefined
  /** JSON Pointer of the security object; `""` without one. */
  readonly protectedAt: string
  readonly attempts: AttemptsPlan
  /** The keyword argument of calls and publications that holds the trace context of the request; undefined: none does. */
  readonly traceKwargs: string | undefined
  readonly limits: ContentLimits
  /** What becomes of requests and answers that do not fit their schemas. */
  readonly validates: { readonly requests: ValidationMode; readonly responses: ValidationMode }
  /** undefined: no policy holds. */
  readonly policies: PolicyPlans | undefined
  /** JSON Pointers of where the values are written, by key; only of what is compiled with a probe. */
  readonly writtenAt?: Readonly<Record<string, string>>
}

/** The policies that hold at one place of a document, by the keys of all rows; undefined: it does not. One object for all operations that inherit it. */
export type PolicyPlans = Readonly<Record<string, unknown>>

/** The parts of a version that all of its paths share: one object, which keeps thousands of routes small. */
export interface CompiledVersion {
  /** The id of the specification. */
  readonly api: string
  /** The key of the version in the document. */
  readonly label: string
  readonly realm_uri: string
  /** base_path, as written. */
  readonly base: string
  readonly languages: readonly string[]
  /** The URI before the code in `type` of a problem; undefined: problems have no `type`. */
  readonly problemBase: string | undefined
  /** What holds in place of the configured CORS policy; undefined: that one. */
  readonly cors: VersionCors | undefined
  /** The identity of requests to an open path. */
  readonly anonymous: Identity
  /** Behaviour: `pool_size`. */
  readonly pool: Semaphore
}

/** How the path of a request is read, and passed on. */
export interface PathReading {
  /** Whether an escaped slash is text of its segment; else the request is refused. */
  readonly keepsSlashes: boolean
  /** Whether upstreams never see the slash at its end. */
  readonly dropsFinalSlash: boolean
}

/** One path of one version. */
export interface CompiledPath {
  readonly version: CompiledVersion
  /** One object for all paths that set nothing themselves. */
  readonly inherited: InheritedValues
  /** base_path + path, as written. */
  readonly pattern: string
  /** Whether answers say so (RFC 9745). */
  readonly isDeprecated: boolean
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

/** The action of an operation. */
export interface ActionPlan extends Required<Pick<Run, 'asksGet'>> {
  /** `none`: `action: {}`, for OPTIONS only. */
  readonly type: ActionType | 'none'
  /** The row of the type. */
  readonly kind: ActionKind
  readonly target: ActionTarget
  /** Fields that are the same for every request. */
  readonly fixed: Readonly<Record<string, unknown>>
  readonly computed: readonly (readonly [name: string, node: Live])[]
  /** The names of `computed`. */
  readonly computedNames: ReadonlySet<string>
  readonly attempts: AttemptsPlan
  /** The keyword argument that holds the trace context of the request; undefined: none does. */
  readonly traceKwargs: string | undefined
  /** Forward: whether the request's body is passed on. */
  readonly passesBody: boolean
  /** Forward: whether an expression reads the upstream's body. */
  readonly readsAnswer: boolean
  /** What it performs; undefined: it performs no other actions. */
  readonly branches: BranchesPlan | undefined
}

/** What an action performs. */
export interface BranchesPlan {
  /** The list for whose items its one branch is performed; undefined: each branch is performed once. */
  readonly list: Node | undefined
  /** At least one. */
  readonly all: readonly BranchPlan[]
}

/** One action of an action, or a list of them. */
interface BranchPlan {
  /** Its name; that of the key where it is the only one. */
  readonly name: string
  /** In order; at least one. */
  readonly plans: readonly ActionPlan[]
  readonly isList: boolean
  /** Whether the others go on when it fails. */
  readonly isOptional: boolean
}

/** `on_result` or `on_error`. */
export interface ResponsePlan {
  /** Headers known at load time, the path's included. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers that are laid over them for each request, in this order. */
  readonly layers: readonly HeaderLayer[]
  readonly status: number | Computed | undefined
  /** undefined: the document has no such key. */
  readonly body: Live | undefined
  readonly uri: Computed | undefined
  /** Where the body stands in the whole; undefined: the document does not tell it. */
  readonly extent: ExtentPlan | undefined
  /** What the body is checked against; undefined: nothing. */
  readonly check: ResponseCheck | undefined
}

/** `first` and `length` of a response, each undefined where the document does not have it. */
export interface ExtentPlan {
  readonly first: Computed | undefined
  readonly length: Computed | undefined
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
  /** JSON Pointer of the operation. */
  readonly at: string
  /** The map of the operation: as written, or as far as its expression yields it at load. Its members may be expressions. */
  readonly written: JsonMap
  readonly path: CompiledPath
  readonly inherited: InheritedValues
  /** What its requests meet; one object for operations that meet the same. */
  readonly stages: readonly Stage[]
  /** The last one of a list: the defaults of the answer follow it. */
  readonly action: ActionPlan
  /** The actions of a list, at least one; undefined where the document has a single action. */
  readonly steps: readonly ActionPlan[] | undefined
  /** What the request is checked against; undefined: nothing. */
  readonly checks: RequestChecks | undefined
  /** Whether an action sends the access token of the identity provider. */
  readonly passesToken: boolean
  /** Whether the body of the request is read and decoded. */
  readonly readsBody: boolean
  /** The limits of a body that is streamed to the action; undefined: it is not. */
  readonly streamedBody: StreamedBody | undefined
  /** Whether its bytes are kept: an action passes them on once they are read, or several do. */
  readonly keepsBody: boolean
  /** Media types to negotiate before the action; undefined: nothing to refuse. */
  readonly negotiated: readonly string[] | undefined
  /** Whether a body of a type outside `accepts` is refused. */
  readonly checksType: boolean
  readonly on_result: ResponsePlan
  readonly on_error: ResponsePlan
  /** Present where the body of a success is the same for every request and its media types are known. */
  readonly encodings: Encodings | undefined
  /** What its answer is as a stream; undefined: it is none. */
  readonly streams: StreamPlan | ProgressPlan | undefined
  /** The WebSockets that its requests may open; undefined: they open none. */
  readonly websocket: SocketTerms | undefined
  /** Of a procedure that the document registers; undefined: requests come to the operation. */
  readonly procedure: ProcedurePlan | undefined
  /** Error URI ─▶ HTTP status: the specification's over the initial table. */
  readonly status_codes: ReadonlyMap<string, number>
}

/** All actions of an operation, in order: those of a list, and behind an action those that it performs. */
export const plansOf = ({
  action,
  steps = [action],
}: Pick<CompiledOperation, 'action' | 'steps'>): readonly ActionPlan[] =>
  steps.flatMap((plan) =>
    plan.branches ? [plan, ...plan.branches.all.flatMap(({ plans }) => plans)] : plan,
  )

/** The rows of an operation's actions, in order. */
export const kindsOf = (operation: CompiledOperation): readonly ActionKind[] =>
  plansOf(operation).map(({ kind }) => kind)

/** The types of an operation's actions, in order. */
export const typesOf = (operation: CompiledOperation): readonly string[] =>
  kindsOf(operation).map(({ type }) => type)
