/** The services of the primary for a worker; a gateway of one process has them itself. */

import type { TokenShare } from '#component/credentials/shared-tokens.ts'
import type { ToldHealth } from '#component/upstreams/active-checks.ts'
import type { HttpPorts } from '#http/server.ts'
import type { LevelChange } from './log-level.ts'

/** The embedded router, when it is in another process of this gateway. */
export interface PrimaryRouter {
  /** Path of the Unix socket that it is reached at. */
  readonly socketPath: string
  /** Resolves when it follows the realm documents and keys that the store holds now. */
  refresh(): Promise<void>
}

/** The primary, as a worker sees it. */
export interface WorkerPorts extends Pick<HttpPorts, 'tls' | 'listen' | 'siblings'> {
  /** The names of all workers of this gateway. */
  readonly workers: readonly string[]
  /** Absent with an external router. */
  readonly router: PrimaryRouter | undefined
  /** Whether every worker has been ready once. */
  areAllReady(): boolean
  /** Sets the function that makes changes of the other workers live here. */
  refreshBy(refresh: () => Promise<void>): void
  /** Resolves when the others have made the current store live, or have not answered in time. */
  refreshOthers(): Promise<void>
  /** Tells the other workers what a check has found of a target of an upstream. */
  tellHealth(told: ToldHealth): void
  /** Sets the function that takes what the others tell. */
  hearHealth(hear: (told: ToldHealth) => void): void
  /** The tokens for upstreams, which one worker fetches for all. */
  readonly tokenShare: TokenShare
  /** Sets the level of the log in all processes. */
  setLogLevel(level: string, by: string): Promise<LevelChange>
}
