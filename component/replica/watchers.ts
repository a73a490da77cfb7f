/** The functions that make changes live, one for each kind of document. */
import type { Log } from '#component/log.ts'
import { type Change, type Kind, kinds, type Watcher } from './entry.ts'

/** The watchers of one replica. */
export class Watchers {
  readonly #log: Pick<Log, 'error'>
  readonly #watchers = new Map<Kind, Watcher>()

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log
  }

  /** Sets the watcher of a kind. */
  set(kind: Kind, watcher: Watcher): void {
    this.#watchers.set(kind, watcher)
  }

  /** Makes changes live, kind after kind. Never rejects: a watcher that fails is logged. */
  async tell(changes: readonly Change[]): Promise<void> {
    for (const kind of kinds) {
      const ofKind = changes.filter(({ entry }) => entry.kind === kind)
      if (ofKind.length === 0) continue
      try {
        await this.#watchers.get(kind)?.(ofKind)
      } catch (err) {
        const ids = ofKind.map(({ entry }) => entry.id)
        this.#log.error({ err, kind, ids }, 'changes were stored but could not be made live')
      }
    }
  }
}
