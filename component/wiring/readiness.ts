/** Why a process is not ready yet. */
import type { Needs } from './process-parts.ts'

/** Of one process. */
export class Readiness {
  /** Whether it serves what it has because it could not reach the others when it started. */
  isCutOff = false
  readonly #parts: Needs<'starting' | 'files' | 'own' | 'sync' | 'worker'>

  constructor(parts: Needs<'starting' | 'files' | 'own' | 'sync' | 'worker'>) {
    this.#parts = parts
  }

  /** The reason in this process; undefined once it is configured and has caught up with the others. */
  get waitsFor(): string | undefined {
    const { starting, files, own, sync } = this.#parts
    if (starting.waitsFor !== undefined) return starting.waitsFor
    if (this.isCutOff) return undefined
    if (sync.isCaughtUp) return files.isWaiting ? 'loading the configured files' : undefined
    return own.isOpen ? 'fetching documents from the other gateways' : 'joining the router'
  }

  /** The reason in all processes of the gateway. */
  get waitsForAll(): string | undefined {
    const { worker } = this.#parts
    const isAlone = worker === undefined || worker.areAllReady()
    return this.waitsFor ?? (isAlone ? undefined : 'waiting for other workers')
  }
}
