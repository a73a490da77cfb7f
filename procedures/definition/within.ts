/** Keeps operators of one realm within it: objects of other realms are refused, whether they exist or not. */
import { ServiceError } from '#component/errors.ts'
import { hasReferences } from '#component/realm/documents/environment.ts'
import { at, maps } from '#component/realm/documents/membership.ts'
import type { Realms } from '#component/realm/realms.ts'
import { mapOrEmpty, memberOf } from '#component/syntax/values.ts'
import { socketPathOf } from '#component/upstreams/settings.ts'

/** The rights of a caller. */
export interface Rights {
  /** `load` permits changes, `read` only reading; undefined: neither. */
  readonly access: 'load' | 'read' | undefined
  /** The only realm that may be managed. Absent: all realms. */
  readonly within?: string
}

const refuse = (message: string) => new ServiceError('wamp.error.not_authorized', message)

/** @throws ServiceError `wamp.error.not_authorized` unless the caller manages the realm */
export function checkRealm(realm_uri: string, { within }: Pick<Rights, 'within'>): void {
  if (within === undefined || within === realm_uri) return
  throw refuse('this belongs to another realm')
}

/** @throws ServiceError `wamp.error.not_authorized` unless the caller manages all realms */
export function checkWhole({ within }: Pick<Rights, 'within'>): void {
  if (within !== undefined) throw refuse('only operators of all realms may do this')
}

/**
 * Refuses a realm document, or a part of one, that refers to the environment or a file, unless the caller manages all realms.
 * @throws ServiceError `wamp.error.not_authorized`
 */
export function checkReferences(part: unknown, { within }: Pick<Rights, 'within'>): void {
  if (within === undefined || !hasReferences(part)) return
  throw refuse('only operators of all realms may refer to environment variables and files')
}

/** Whether an upstream of a realm document goes by a proxy, or to a socket of this machine. */
const leavesHost = (document: unknown): boolean =>
  Object.values(mapOrEmpty(at(document, ['info', 'upstreams']))).some(
    (upstream) =>
      memberOf(upstream, 'proxy') !== undefined ||
      maps(memberOf(upstream, 'targets')).some(
        ({ url }) => socketPathOf(String(url)) !== undefined,
      ),
  )

/**
 * Refuses realm documents that reach beyond the realm of the caller: another realm, a reference to the environment or a file, or
 * another prototype, which only an operator of both realms chooses.
 * @throws ServiceError `wamp.error.not_authorized`
 */
export function checkRealmDocuments(
  documents: unknown,
  { within }: Pick<Rights, 'within'>,
  realms: Pick<Realms, 'get'>,
): void {
  if (within === undefined) return
  for (const document of Array.isArray(documents) ? documents : [documents]) {
    if (memberOf(document, 'uri') !== within) throw refuse('the document belongs to another realm')
    checkReferences(document, { within })
    if (leavesHost(document)) {
      throw refuse('only operators of all realms may name a proxy or a Unix socket of an upstream')
    }
    if (memberOf(document, 'prototype_uri') !== realms.get(within).prototype_uri) {
      throw refuse('only operators of all realms may change the prototype')
    }
  }
}
