/** Who has an Idempotency-Key: what a request asks of the store, and what it is told. */

/** A request that asks for its key. */
export interface KeyRequest {
  /** The key in its scope; not secret, and tells nothing of either. */
  readonly scope: string
  /** Equal for equal requests. */
  readonly fingerprint: string
  /** How long the request may stay silent; milliseconds. */
  readonly leaseMs: number
  /** How long its answer is kept, from now; milliseconds. */
  readonly keptMs: number
  /** Whether it takes the key of a request that has ended without an answer. */
  readonly takesUnknown: boolean
  /** Whether a key that is new is taken; repeats are answered in any case. Absent: it is. */
  readonly mayBegin?: boolean
}

/**
 * Who has a key. `taken`: this request, from now on. `running`: another one, which is under way. `unknown`: one that has ended
 * without an answer. `other`: a request with another fingerprint. `done`: one whose answer is not kept. `answered`: its answer. `full`: there is no room
 * for a new key.
 */
export type KeyOwner =
  | { readonly kind: 'taken'; readonly hold: KeyHold }
  | { readonly kind: 'running' | 'unknown' | 'other' | 'done' | 'full' }
  | { readonly kind: 'answered'; readonly answer: string }

/** A key that a request has taken. */
export interface KeyHold {
  readonly scope: string
  /** Of this request alone. */
  readonly token: string
}
