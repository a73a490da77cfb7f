/** What the gateway answers, as far as the pages read it. */

/** A mistake of a document. */
export interface Issue {
  /** A JSON Pointer. */
  path: string
  message: string
}

/** A path that a document adds to those that it declares. */
export interface Added {
  kind: string
  methods: string[]
  host: string
  path: string
  redirect_uris?: { provider: string; uri: string; is_guessed: boolean }[]
}

/** A text that is edited, and the hash of the version that it was read from. */
export interface Base {
  text: string
  hash: string | undefined
}

/** What is edited as JSON. */
export interface Target {
  /** Names what is edited, for its draft. */
  key: string
  /** The key of the editor that opens on a text once it is loaded; absent: none does. */
  keyOf?(text: string): string
  /** What is there now. @param text what is edited, which may name it */
  read(text?: string): Promise<Base>
  /** Tells what a load would warn of. */
  validate?(text: string): Promise<{ warnings?: Issue[]; added?: Added[] }>
  /** @param before what was there when the editing began */
  load(
    text: string,
    condition: { ifMatch?: string; isNew?: boolean },
    before: string | undefined,
  ): Promise<{ warnings?: Issue[]; added?: Added[] }>
  nameOf(text: string): string
  /** Called after a load; true: the screen shows something else now. */
  done(text: string): boolean
  /** Where nothing is there yet: what editing begins with. */
  sample?: string
}

/** An API Specification as it is listed. */
export interface Spec {
  id: string
  name?: string
  host?: string
  realm_uri?: string
  ts: number
  versions?: Record<string, SpecVersion>
  procedures?: Record<
    string,
    { action?: unknown; callers?: { roles?: string[]; authids?: string[] } }
  >
}

/** A version of it. */
export interface SpecVersion {
  base_path?: string
  is_active?: boolean
  paths?: Record<string, Record<string, unknown>>
}

/** One version in a history. */
export interface Version {
  ts: number
  hash: string | null
  node: string
  by: string | null
  is_current: boolean
  is_deleted: boolean
}

/** A member that differs between two versions. */
export interface Difference {
  path: string
  kind: string
  from?: unknown
  to?: unknown
}

/** A route that was asked for. */
export interface RouteUse {
  api: string
  version: string
  route: string
  method: string
  count: number
  /** Milliseconds since the epoch. */
  used_at: number
}

/** A procedure of a document at one node; the time is milliseconds since the epoch. */
export interface ProcedureAtNode {
  node: string
  state: string
  reason: string | null
  calls: { ok: number; error: number; canceled: number }
  called_at: number | null
}

/** A procedure that a document registers. */
export interface Procedure {
  realm_uri: string
  procedure: string
  match: string
  invoke: string
  nodes: ProcedureAtNode[]
}

/** Requests of some seconds. */
export interface Counts {
  count: number
  errors: number
  buckets: number[]
}

/** A route with requests. */
export interface RouteCounts extends Counts {
  api: string
  version: string
  route: string
  method: string
}

/** The numbers of one process. */
export interface Stats extends Partial<Counts> {
  node: string
  ts: number
  seconds: number
  bounds: number[]
  routes: RouteCounts[]
  is_ready?: boolean
  in_flight?: number
}

/** Numbers of all processes at one time. */
export interface Point {
  at: number
  rate: number
  errors: number
  p50: number
  p99: number
  inFlight: number
}

/** What this node says of itself when the events begin. */
export interface Hello {
  node: string
  version: string
  is_ready: boolean
  problems: string[]
  gateway?: string
  /** The URL of the Grafana dashboard. */
  grafana?: string
  access: 'load' | 'read'
  within: string | null
  by: string
  has_credentials: boolean
}

/** An event of the cluster. */
export interface ClusterEvent {
  name: string
  at: number
  id?: string
  ts?: number
  hash?: string | null
  node?: string
  by?: string
  other?: string
  path?: string
}

/** A request as its node tells it. */
export interface SeenRequest {
  key: number
  ts: number
  node: string
  request_id: string
  method: string
  route?: string
  status: number
  error?: string
  duration: number
  bytes: number
  peer: string
  api_spec?: string
  version?: string
}

/** Another gateway, as this one sees it. */
export interface Peer {
  node: string
  version: string | null
  heard_ms_ago: number
  is_equal: boolean
  clock_offset_ms: number
  exchanged_ms_ago: number | null
}

/** A session of the gateway itself with its router. */
export interface RouterSession {
  realm: string
  purpose: string
  is_joined: boolean
  reconnects: number
}

/** A target of an upstream at one node. */
export interface TargetState {
  node: string
  state: 'up' | 'out' | 'down' | 'draining' | 'unresolved'
  address?: string
  since: number
  pending: number
  last_error: string | null
  /** These are absent where the node is of an earlier version. */
  failures?: number
  attempts?: { success: number; failure: number; unknown: number }
  connections?: number
  sockets?: number
  last_check?: { at: number; problem: string | null } | null
}

/** A target as the realm has it, and at each node. */
export interface UpstreamTarget {
  url: string
  weight: number
  group?: string
  backup: boolean
  drain: boolean
  nodes: TargetState[]
}

/** `GET /realms/:uri/upstreams` has these. Times are milliseconds since the epoch. */
export interface Upstream {
  name: string
  balance: string
  targets: UpstreamTarget[]
  auth: {
    type: string
    tokens: { node: string; fetched_at: number; expires_at: number }[]
  } | null
}

/** `GET /registry`. */
export interface Registry {
  node: string
  version: string | null
  digest: string
  entries: number
  tombstones: number
  nodes: Peer[]
  ignored_messages: number
  name: string
  router: string
  store: string
  clock: string
  clock_offset_ms: number | null
  conflicts: { id: string; reason: string; other?: string; [member: string]: unknown }[]
  damaged: { kind: string; id: string; reason: string; node: string; ts: number }[]
  router_last_error: { error_uri: string; message: string; at: number } | null
  router_sessions: RouterSession[]
  refused_files: { file: string; issues: Issue[] }[]
  upstreams: { count: number; targets: Record<TargetState['state'], number> }
}
