/** Versions as other nodes make them, for the tests of what the registry does with them. */
import { type Document, type Entry, hashOf } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'

/** A stamp of another node. */
export const stampAt = (ms: number, node = 'node-2'): Stamp => ({ ms, counter: 0, node })

/** A version of an API Specification that another node has made; null: it has deleted it. */
export const versionOf = (
  id: string,
  document: Document | null,
  stamp: Stamp,
  parent: Stamp | null = null,
): Entry => ({
  kind: 'api_spec',
  id,
  stamp,
  parent,
  hash: document && hashOf(document),
  document,
})

/** Does a line of the log say this? */
export const isAbout =
  (text: string) =>
  ([, message]: readonly unknown[]): boolean =>
    String(message).includes(text)
