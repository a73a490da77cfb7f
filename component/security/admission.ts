/** Lets a request pass that its scheme lets pass, and whose user meets what the security object asks for. */
import type { Identity } from '#component/identity.ts'
import { demanded } from './demand.ts'
import { type Protection, type Schemes, type SecuredRequest, schemeOf } from './scheme.ts'

/** @throws ServiceError as the scheme does; 403 for a user who may not use the path */
export function admit(
  schemes: Schemes,
  request: SecuredRequest,
  protection: Protection,
): Identity | Promise<Identity> {
  return checked(schemeOf(schemes, protection).authenticate(request, protection), protection)
}

/** Judges a request once more that has passed and is still served. @throws as {@link admit} */
export function admitAgain(
  schemes: Schemes,
  request: SecuredRequest,
  protection: Protection,
): Identity | Promise<Identity> {
  const scheme = schemeOf(schemes, protection)
  const judge = scheme.authenticateAgain ?? scheme.authenticate
  return checked(judge.call(scheme, request, protection), protection)
}

function checked(
  found: Identity | Promise<Identity>,
  protection: Protection,
): Identity | Promise<Identity> {
  if (protection.demand === undefined) return found
  if (found instanceof Promise) return found.then((identity) => demanded(identity, protection))
  return demanded(found, protection)
}
