/** Which realm an API Specification belongs to, for operators who manage what belongs to one realm only. */
import { ServiceError } from '#component/errors.ts'
import type { Entry } from '#component/replica/entry.ts'

const isOf = (document: unknown, realm_uri: string): boolean =>
  typeof document === 'object' &&
  document !== null &&
  'realm_uri' in document &&
  document.realm_uri === realm_uri

const notAuthorized = (message: string) => new ServiceError('wamp.error.not_authorized', message)

/** May it be managed by somebody who is kept within a realm? undefined: within none. */
export const isWithin = (document: unknown, within: string | undefined): boolean =>
  within === undefined || isOf(document, within)

/**
 * Refuses what belongs to another realm; what there is none of belongs to nobody.
 * @param within the realm that who asks is kept within; undefined: none
 * @throws ServiceError `wamp.error.not_authorized`
 */
export function checkWithin(document: unknown, within: string | undefined): void {
  if (document === undefined || isWithin(document, within)) return
  throw notAuthorized('the API Specification belongs to another realm')
}

/** Refuses the history of a document that belongs to another realm: deleted, it is that of its last version. Throws as {@link checkWithin} does. */
export function checkHistoryWithin(versions: readonly Entry[], within: string | undefined): void {
  checkWithin(versions.find(({ document }) => document !== null)?.document ?? undefined, within)
}
