/** Whose tokens and sessions must end when a realm document takes the place of another. */
import { at, maps, memberLists } from './members.ts'
import { isMap } from './rules.ts'

/** What proves that somebody is a user: equal text, equal proof. */
function proofs(document: unknown): Map<string, string> {
  const found = new Map<string, string>()
  for (const { keys, name, secret } of memberLists) {
    for (const member of maps(at(document, keys))) {
      if (member.enabled === false) continue
      const { [secret]: password, authorized_keys = [] } = member
      const hash = isMap(password) ? password.argon2id : undefined
      const keysOfUser = Array.isArray(authorized_keys) ? authorized_keys : [authorized_keys]
      const sorted = keysOfUser.map((key) => String(key).toLowerCase()).sort()
      found.set(String(member[name]), JSON.stringify([hash, sorted]))
    }
  }
  return found
}

/**
 * The users that are gone or disabled, or whose password or keys have changed.
 * @param before the stored document, with the environment filled in; null: there was none
 * @param after in its place; null: it is deleted
 */
export function endedUsers(before: unknown, after: unknown): string[] {
  const now = proofs(after)
  return [...proofs(before)].flatMap(([name, proof]) => (now.get(name) === proof ? [] : name))
}
