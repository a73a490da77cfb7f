/** Where a realm document lists users, also as clients and resource owners of OAuth2; which of them end with a new version. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'

/** One list of users. */
export interface MemberList {
  /** The keys that lead to it. */
  readonly keys: readonly string[]
  readonly name: 'username' | 'client_id'
  readonly secret: 'password' | 'client_secret'
  /** The group that all of them are in. */
  readonly group: string | undefined
}

/** Every list: together they are one set of users. */
export const memberLists: readonly MemberList[] = [
  { keys: ['users'], name: 'username', secret: 'password', group: undefined },
  { keys: ['oauth2', 'clients'], name: 'client_id', secret: 'client_secret', group: 'api_clients' },
  {
    keys: ['oauth2', 'resource_owners'],
    name: 'username',
    secret: 'password',
    group: 'resource_owners',
  },
]

/** The objects of a list; none when it is no list. */
export const maps = (value: unknown): JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])

/** A user as a document lists it. */
interface ListedUser {
  /** As written. */
  readonly name: string
  /** The list that has it: `users`, `oauth2.clients` or `oauth2.resource_owners`. */
  readonly list: string
  readonly member: JsonMap
}

/** The users of all lists of a document, in its order. */
export const usersOf = (document: unknown): ListedUser[] =>
  memberLists.flatMap(({ keys, name }) =>
    maps(at(document, keys)).map((member) => ({
      ...{ name: String(member[name]), list: keys.join('.'), member },
    })),
  )

/** The value at a place of a document; undefined when the document has no such place. */
export const at = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce(
    (value, key) => (Array.isArray(value) ? (value[Number(key)] as unknown) : memberOf(value, key)),
    document,
  )

/** The document with something else at a place that exists. */
export function withAt(document: JsonMap, keys: readonly string[], value: unknown): JsonMap {
  const [key = '', ...rest] = keys
  if (rest.length === 0) return { ...document, [key]: value }
  const inner = document[key]
  return isMap(inner) ? { ...document, [key]: withAt(inner, rest, value) } : document
}

/** A name as it is compared (RFC 8265 §3.3): in NFC, however it is written. */
export const nameOf = (written: unknown): string => String(written).normalize()

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
      found.set(nameOf(member[name]), JSON.stringify([hash, sorted]))
    }
  }
  return found
}

/** The names of disabled users. */
function disabled(document: unknown): Set<string> {
  const members = memberLists.flatMap(({ keys, name }) =>
    maps(at(document, keys))
      .filter((member) => member.enabled === false)
      .map((member) => nameOf(member[name])),
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

/** Each enabled user whom a rollback changes, by name; at JSON Pointers into the second document. */
export function restoredUsers(before: unknown, after: unknown): Issue[] {
  const [old, now] = [proofs(before), proofs(after)]
  const restored = memberLists.flatMap(({ keys, name }) =>
    maps(at(after, keys)).flatMap((member, index) => {
      const username = nameOf(member[name])
      if (!now.has(username) || old.get(username) === now.get(username)) return []
      const message = old.has(username)
        ? `${username}: the password and keys of that version hold again; what the user was given has ended`
        : `${username}: the user is back, with the password and keys of that version`
      return [{ path: pointer('', ...keys, index), message }]
    }),
  )
  const removed = [...old.keys()].filter((username) => !now.has(username))
  const message =
    'that version does not have the user, or not enabled; what the user was given has ended'
  return [...restored, ...removed.map((name) => ({ path: '', message: `${name}: ${message}` }))]
}
