/** What changes of the registry come to. */
import type { Issue } from '#component/errors.ts'

/** What a load came to. */
export interface Loaded {
  readonly id: string
  /** Milliseconds since the epoch; not smaller than that of the version before. */
  readonly ts: number
  /** SHA-256, hex, of the document's canonical JSON. */
  readonly hash: string
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version. */
  readonly isNew: boolean
}

/** What a deletion came to. */
export interface Removed {
  readonly id: string
  /** Milliseconds since the epoch, of the deletion. */
  readonly ts: number
}
