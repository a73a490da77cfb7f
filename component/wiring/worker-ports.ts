/** What a worker has of the primary, where a gateway of one process does it itself. */
import type { HttpPorts } from '#http/server.ts'

/** The embedded router, when it is in another process of this gateway. */
export interface PrimaryRouter {
  /** Path of the Unix socket that it is reached at. */
  readonly socketPath: string
  /** Resolves when it goes by the realm documents and keys that the store holds now. */
  refresh(): Promise<void>
}

/** The primary, as a worker sees it. */
export interface WorkerPorts extends Pick<HttpPorts, 'listen' | 'siblings'> {
  /** Absent with an external router. */
  readonly router: PrimaryRouter | undefined
  /** Have all workers had their configuration? */
  areAllReady(): boolean
  /** Takes the way to make live here what the others have written into the store. */
  refreshBy(refresh: () => Promise<void>): void
  /** Resolves when the others have made live what the store says now, as far as they answer. */
  refreshOthers(): Promise<void>
}
