/** A realm document in which one user has another password. */
import { ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { at, maps, memberLists, withAt } from './membership.ts'
import type { RealmDocument } from './model.ts'
import type { ProtectedPassword } from './password.ts'
import { type Keeping, keepPassword } from './protect.ts'

/** A stored document, and the same one with the environment filled in. */
interface Pair {
  readonly written: RealmDocument
  readonly filled: RealmDocument
}

/**
 * The document with the password of a user replaced, in whichever list the user is.
 * @throws ServiceError `wamp.error.invalid_argument` for an empty password, `service.error.not_found` for an unknown user
 */
export async function changedPassword(
  { written, filled }: Pair,
  username: string,
  password: string,
  keeping: Keeping,
): Promise<RealmDocument> {
  if (password === '') {
    throw new ServiceError('wamp.error.invalid_argument', 'password: expected a non-empty string')
  }
  for (const { keys, name, secret } of memberLists) {
    const index = maps(at(filled, keys)).findIndex((member) => member[name] === username)
    if (index < 0) continue
    const members = maps(at(written, keys))
    const old = members[index]?.[secret]
    const stored = isMap(old) ? (old as unknown as ProtectedPassword) : undefined
    const owner = { realm_uri: String(filled.uri), username }
    const kept = await keepPassword(password, stored, owner, keeping)
    const changed = members.map((member, at) =>
      at === index ? { ...member, [secret]: kept } : member,
    )
    return withAt(written, keys, changed)
  }
  throw new ServiceError('service.error.not_found', 'the realm has no user with this name')
}
