/** The port of a replica to its store; component/store implements it. */
import type { YieldTurn } from '#component/yielding.ts'
import type { Damaged } from './damage.ts'
import type { Entry, Kind, Summary, Texts } from './entry.ts'

/** Where entries outlive the process. Other processes may write there, too. Methods throw `service.error.unavailable`. */
export interface ReplicaStore {
  /** Rows changed after a revision (0: all), oldest stamp first, but for those that are known, and the revision that they lead to. */
  since(
    revision: number,
    isKnown?: (version: Summary) => boolean,
  ): Promise<{
    readonly revision: number
    readonly entries: readonly Entry[]
    /** Rows that cannot be read; absent: none. */
    readonly damaged?: readonly Damaged[]
  }>
  /** Keeps all, each in the place of its parent, or none: false when another process was faster. On the disk when it resolves. */
  replace(entries: readonly Entry[], yieldTurn?: YieldTurn, texts?: Texts): Promise<boolean>
  /** Keeps each that is newer than what is there, older ones only in the history. On the disk when it resolves. */
  merge(entries: readonly Entry[]): Promise<void>
  /** Removes those that were not replaced, without tombstones. On the disk when it resolves. */
  forget(entries: readonly Entry[]): Promise<void>
  /** The last versions of a document, newest first. */
  versions(kind: Kind, id: string): Promise<Entry[]>
}
