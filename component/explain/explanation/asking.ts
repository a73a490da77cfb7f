/** Lets a rehearsed request pass as the user that an explanation is asked for. */
import { ServiceError } from '#component/errors.ts'
import { nobody, schemesOf } from '#component/explain/stand-ins.ts'
import { type Identity, identityOf, type LoggedIn } from '#component/identity.ts'
import type { Protection, Schemes } from '#component/security/scheme.ts'
import type { Asked, AskingUser } from './read-asked.ts'

/** What is known of a user. */
interface KnownUser {
  readonly user: LoggedIn['user']
  readonly roles: readonly string[]
}

/** Who may ask. */
export interface AskingPorts {
  /** The user of the realm; undefined: it has no enabled user of this name. */
  userOf(realm_uri: string, asking: AskingUser): KnownUser | undefined
  /** The schemes that judge credentials as ever, without counting failures of users. */
  readonly schemes: Schemes
}

const refuse = (message: string) => new ServiceError('service.error.unauthorized', message)

/** The schemes for `as`. */
export function schemesFor(as: Asked['as'], { userOf, schemes }: AskingPorts): Schemes {
  if (as === undefined) return schemes
  if (as === 'anonymous' || as === null) return nobody
  return schemesOf((protection) => identityFor(as, protection, userOf), as.via)
}

/** @throws ServiceError unauthorized, whose message is for operators only */
function identityFor(
  as: AskingUser,
  { realm_uri, type }: Protection,
  userOf: AskingPorts['userOf'],
): Identity {
  if (as.realm_uri !== undefined && as.realm_uri !== realm_uri)
    throw refuse(`as: the path admits users of ${realm_uri} only`)
  const known = userOf(realm_uri, as)
  if (known === undefined) throw refuse('as: the realm has no enabled user of this name')
  const { user, roles } = known
  const foreign = as.authroles?.find((role) => !roles.includes(role))
  if (foreign !== undefined) throw refuse(`as: the user does not have all of the authroles`)
  return identityOf({
    ...{ realm_uri, user },
    authroles: as.authroles ?? roles,
    authmethod: as.authmethod ?? type,
    ...(as.claims && { claims: as.claims }),
  })
}
