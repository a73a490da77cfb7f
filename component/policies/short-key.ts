/** Keys that hold what a request sent, bounded in memory. */
import { createHash } from 'node:crypto'

/** Longer keys are kept as their digest; characters. */
const maxKey = 100

/** The key, or its digest where it is long. */
export const shortKey = (key: string): string =>
  key.length <= maxKey ? key : createHash('sha256').update(key).digest('base64url')
