/** From all stored realm documents to all realms, and why some of them take no sessions. */

import { buildRealm, closedRealm } from './build-realm.ts'
import type { Environment } from './environment.ts'
import { prototypeOf, prototypesOf } from './inheritance.ts'
import type { Realm, RealmDocument } from './model.ts'

/** The newest document of a realm. */
export interface Stored {
  readonly document: RealmDocument
  /** Milliseconds since the epoch. */
  readonly ts: number
}

/** The realm, or why the stored documents do not make one. */
function build(
  uri: string,
  isPrototype: boolean,
  stored: ReadonlyMap<string, Stored>,
  environment: Environment,
): Realm | string {
  const { document } = stored.get(uri) ?? {}
  if (document?.uri !== uri) return 'its document belongs to another realm'
  const chain = prototypesOf(document, (at) => stored.get(at)?.document)
  if (typeof chain === 'string') return chain
  try {
    return buildRealm(document, chain, isPrototype, environment)
  } catch (cause) {
    return `it cannot be built: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Every realm by URI; one that cannot be made is closed, and its problem told. */
export function buildAll(stored: ReadonlyMap<string, Stored>, environment: Environment) {
  const prototypes = new Set([...stored.values()].map(({ document }) => prototypeOf(document)))
  const realms = new Map<string, Realm>()
  const problems = new Map<string, string>()
  for (const uri of stored.keys()) {
    const isPrototype = prototypes.has(uri)
    const built = build(uri, isPrototype, stored, environment)
    if (typeof built === 'string') problems.set(uri, built)
    realms.set(uri, typeof built === 'string' ? closedRealm(uri, isPrototype) : built)
  }
  return { realms, problems }
}
