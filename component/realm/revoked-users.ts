/** The users whose tokens and sessions must end when a realm document replaces another. */
import { at, maps, memberLists } from '#component/realm/documents/membership.ts'

/** The password hash and keys of each enabled user as one text, to compare two documents. */
function proofs(document: unknown): Map<string, string> {
  const found = new Map<string, string>()
  for (const { keys, name, secret } of memberLists) {
    for (const member of maps(at(document, keys))) {
      if (member.enabled === false) continue
      const { authorized_keys = [] } = member
      const hash = at(member, [secret, 'argon2id'])
      const keysOfUser = Array.isArray(authorized_keys) ? authorized_keys : [authorized_keys]
      const sorted = keysOfUser.map((key) => String(key).toLowerCase()).sort()
      found.set(String(member[name]), JSON.stringify([hash, sorted]))
    }
  }
  return found
}

/** The names of disabled users. */
function disabled(document: unknown): Set<string> {
  const members = memberLists.flatMap(({ keys, name }) =>
    maps(at(document, keys))
      .filter((member) => member.enabled === false)
      .map((member) => String(member[name])),
  )
  return new Set(members)
}

/**
 * The users that are gone or disabled, or whose password or keys have changed. Who is disabled now need not have been in
 * the document: users come by identity providers, too.
 * @param before the stored document, with the environment filled in; null: there was none
 * @param after in its place; null: it is deleted
 */
export function revokedUsers(before: unknown, after: unknown): string[] {
  const now = proofs(after)
  const gone = [...proofs(before)].flatMap(([name, proof]) => (now.get(name) === proof ? [] : name))
  const were = disabled(before)
  const locked = [...disabled(after)].filter((name) => !were.has(name))
  return [...new Set([...gone, ...locked])]
}
