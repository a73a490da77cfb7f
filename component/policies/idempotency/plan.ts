/** `idempotency` of a route as it is compiled, and the field `Idempotency-Key`. */

/** What holds for requests with an Idempotency-Key. */
export interface IdempotencyPlan {
  /** JSON Pointer of where it is written. */
  readonly at: string
  /** Whether requests must have a key. */
  readonly isRequired: boolean
  /** How long answers are kept; milliseconds. */
  readonly keptMs: number
  /** What becomes of a request whose outcome is not known: its repeats are refused, or act again. */
  readonly onUnknown: 'refuse' | 'retry'
  /** Larger answers are not kept; bytes. */
  readonly maxBytes: number
}

/** The methods that the key is for: the others are idempotent by definition (RFC 9110 §9.2.2). */
export const keyMethods: ReadonlySet<string> = new Set(['post', 'patch'])

const maxKey = 255

/** A string (RFC 9651 §3.3.3) without parameters. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Printable characters but those of strings, lists and parameters. */
const bare = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/

/** The key in a field (draft-ietf-httpapi-idempotency-key-header-07 §2.1), a bare one too; undefined: it is malformed. */
export function readKey(field: string): string | undefined {
  const text = quoted.exec(field)?.[1]?.replaceAll(/\\(.)/g, '$1')
  const key = text ?? (bare.test(field) ? field : undefined)
  return key !== undefined && key.length > 0 && key.length <= maxKey ? key : undefined
}
