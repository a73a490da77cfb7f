/** A started gateway, of one process or several. */
import type { GatewayUrls } from '#component/config/urls.ts'
import type { FilePatterns, FilesLoaded } from '#component/wiring/configured-files.ts'
import type { LogLevel } from '#component/wiring/log-level.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import type { Log } from './log.ts'

/** How much a gateway has loaded. */
export interface Contents {
  /** API Specifications, whether from files, from the store or from other gateways. */
  readonly apiSpecs: number
  /** Configured files that were refused when they were last read. */
  readonly refusedFiles: number
}

/** A started gateway, of one process or several. */
export interface RunningGateway extends GatewayUrls {
  /** What it has loaded; of several processes, as one of them told when it was ready. */
  contents(): Contents
  /** Whether the node is configured and has caught up with its peers. */
  isReady(): boolean
  /** For what the process itself logs. */
  readonly log: Log
  readonly logLevel: LogLevel
  /** What HTTPS is served with now; undefined without `gateway.tls`. */
  tls(): TlsSetup | undefined
  /** Serves HTTPS with this from now on, if the gateway listener serves HTTPS. */
  useTls(setup: TlsSetup): void
  /**
   * Loads the configured files that have changed since they were last loaded.
   * @throws Error while changes are refused; then nothing was loaded
   */
  loadFiles(patterns: FilePatterns): Promise<FilesLoaded>
  /** Drains and stops; at most drainDelay + `gateway.drain_timeout` and a little, milliseconds. */
  stop(drainDelay: number): Promise<void>
}
