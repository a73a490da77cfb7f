/** The parts of a process by name: `component/component.ts` lists them in the order of their start. */
import type { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import type { ProcessOutbox } from '#component/delivery/outbox.ts'
import type { Examples } from '#component/examples/examples.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Log } from '#component/log.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import type { Starting } from '#component/parts.ts'
import type { PolicySharing } from '#component/policies/serve.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { Sync } from '#component/sync/sync.ts'
import type { Progress } from '#component/terminal/progress.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import type { ConfiguredFiles } from './configured-files.ts'
import type { LiveConsole } from './console/live-console.ts'
import type { StartPorts, WiringContext } from './context.ts'
import type { Documents } from './documents/open-documents.ts'
import type { Listening } from './listening.ts'
import type { LogLevel } from './log-level.ts'
import type { LoginLists } from './logins/login-questions.ts'
import type { ProcedureLists } from './procedures/procedure-lists.ts'
import type { Registrar } from './procedures/registrar.ts'
import type { Readiness } from './readiness.ts'
import type { RouterAuthentication } from './router-authentication.ts'
import type { RouterConnection } from './router-connection.ts'
import type { Address, Serving } from './serving.ts'
import type { Tracing } from './tracing/tracing.ts'
import type { UpstreamLists } from './upstream-lists.ts'
import type { WorkerPorts } from './worker-ports.ts'

/** What the start of a process is given. */
export interface ProcessPorts extends StartPorts {
  /** The key by which this node knows other gateways. */
  readonly key: string
  /** The log of the request lines, which hold no secrets and are not redacted. */
  readonly accessLog: Log
  readonly logLevel: LogLevel
  /** The primary of this process, if it is a worker. */
  readonly worker: WorkerPorts | undefined
  /** Told while the configured files are loaded. */
  readonly progress: Progress
}

/** Every part. */
interface ProcessParts extends ProcessPorts {
  readonly starting: Starting
  readonly context: WiringContext
  readonly router: RouterConnection
  /** The sessions that requests run on. */
  readonly pool: SessionPool
  readonly address: Address
  readonly schemas: SharedSchemas
  readonly examples: Examples
  readonly serving: Serving
  readonly registrar: Registrar
  readonly outbox: ProcessOutbox
  /** The session on the component's realm. */
  readonly own: SupervisedSession
  readonly authentication: RouterAuthentication | undefined
  readonly sync: Sync
  /** What HTTPS is served with at first; undefined where the gateway listener serves HTTP. */
  readonly tls: TlsSetup | undefined
  readonly documents: Documents
  readonly registry: Registry<Route>
  readonly sharing: PolicySharing
  readonly console: LiveConsole
  readonly loginLists: LoginLists
  readonly upstreams: UpstreamLists
  readonly procedureLists: ProcedureLists
  readonly tracing: Tracing
  readonly files: ConfiguredFiles
  readonly management: Management
  readonly metrics: MetricSources
  readonly readiness: Readiness
  readonly listening: Listening
  /** Whether the router let the node join while it started. */
  readonly joined: boolean
}

/** The parts of these names. */
export type Needs<Name extends keyof ProcessParts> = Pick<ProcessParts, Name>
