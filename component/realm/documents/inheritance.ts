/** Which realm documents one inherits from; a line of prototypes that is broken makes no realm. */

import { isMap } from '#component/syntax/values.ts'
import type { RealmDocument } from './model.ts'

/** The prototype that a document names. */
export const prototypeOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.prototype_uri === 'string' ? document.prototype_uri : undefined

/** Whether a realm is among the prototypes of its own prototype. */
export function leadsBack(
  uri: string | undefined,
  prototype: string,
  parents: ReadonlyMap<string, string | undefined>,
): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = prototype; at !== undefined && !seen.has(at); ) {
    if (at === uri) return true
    seen.add(at)
    at = parents.get(at)
  }
  return false
}

/**
 * The documents that one inherits from, nearest first; or why there is no telling: with a part of them the realm might
 * allow more than it says.
 */
export function prototypesOf(
  document: RealmDocument,
  documentAt: (uri: string) => RealmDocument | undefined,
): readonly RealmDocument[] | string {
  const chain: RealmDocument[] = []
  const seen = new Set<string>()
  for (let uri = prototypeOf(document); uri !== undefined; ) {
    if (seen.has(uri)) return `its prototypes inherit from each other: ${[...seen].join(', ')}`
    seen.add(uri)
    const prototype = documentAt(uri)
    if (prototype === undefined) return `its prototype ${uri} is not known to this node`
    chain.push(prototype)
    uri = prototypeOf(prototype)
  }
  return chain
}
