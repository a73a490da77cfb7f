/** Prepares a realm document for the store: hashes passwords, seals other secrets, and keeps the hidden values that a load omits. */
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '#component/errors.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { at, maps, memberLists, withAt } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { hashPassword, type StoredPassword } from './password.ts'
import { purposeOf, type SecretOwner, sealSecrets, sealWampCra } from './secrets.ts'
import { mask, shownRealm } from './shown-realm.ts'

/** A document, and the same one with the environment filled in. */
interface Pair {
  readonly written: RealmDocument
  readonly filled: RealmDocument
}

/** How the secrets of a realm are stored. */
export interface SecretStorage {
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  /** Whether passwords are stored, sealed, for an external router that checks WAMP-CRA with them. */
  readonly keepsPasswords: boolean
  /** Rounds of PBKDF2 for new WAMP-CRA secrets; undefined in a realm without WAMP-CRA, which stores no such secret. */
  readonly rounds: number | undefined
  /** Fills the environment in. */
  readonly fill: (value: unknown) => unknown
  /** The passwords that were hashed for this load: one that is prepared once more hashes none again. */
  readonly hashed: Map<string, Promise<StoredPassword>>
}

/** The stored form of each password, by the name of its user. */
function storedPasswords(filled: unknown): Map<unknown, StoredPassword> {
  const found = new Map<unknown, StoredPassword>()
  for (const { keys, name, secret } of memberLists) {
    for (const member of maps(at(filled, keys))) {
      const stored = member[secret]
      if (isMap(stored)) found.set(member[name], stored as unknown as StoredPassword)
    }
  }
  return found
}

/** The parts of a stored password that the realm needs. */
const keepStored = (
  { argon2id, wampcra, sealed }: StoredPassword,
  { keepsPasswords, rounds }: SecretStorage,
): StoredPassword => ({
  argon2id,
  ...(wampcra && rounds !== undefined && { wampcra }),
  ...(sealed !== undefined && keepsPasswords && { sealed }),
})

/**
 * The stored form of a password.
 * @param stored the present stored form: an unchanged password keeps it, so that the sessions of its user go on
 */
async function storePassword(
  password: string,
  stored: StoredPassword | undefined,
  owner: SecretOwner,
  storage: SecretStorage,
): Promise<StoredPassword> {
  const { box, keepsPasswords, rounds, hashed } = storage
  const seal = (key: string) => sealWampCra(key, owner, box)
  const name = JSON.stringify([owner, password, stored, rounds])
  const hashing = hashed.get(name) ?? hashPassword(password, stored, rounds, seal)
  hashed.set(name, hashing)
  const made = await hashing
  if (!keepsPasswords || made.sealed !== undefined) return keepStored(made, storage)
  return keepStored({ ...made, sealed: box.seal(password, purposeOf(owner.realm_uri)) }, storage)
}

/** The values at one place of a document: the loaded one, the stored one, and what is shown of the stored one. */
interface Place {
  readonly loaded: unknown
  readonly stored: unknown
  readonly shown: unknown
}

/** A hidden key that the load does not name is kept; `null` removes it. */
function keepInMap(
  { loaded, stored, shown }: Place,
  at: readonly string[],
  fill: SecretStorage['fill'],
): unknown {
  if (!isMap(loaded) || !isMap(stored) || !isMap(shown)) return loaded
  const hidden = Object.entries(stored).filter(([key]) => !Object.hasOwn(shown, key))
  const absent = hidden.filter(([key]) => !Object.hasOwn(loaded, key))
  const isRemoved = (key: string) =>
    loaded[key] === null && Object.hasOwn(stored, key) && !Object.hasOwn(shown, key)
  const kept = Object.entries(loaded).flatMap(([key, value]) => {
    if (isRemoved(key)) return []
    const inner = { loaded: value, stored: stored[key], shown: shown[key] }
    return Object.hasOwn(shown, key) ? [[key, keep(inner, [...at, key], fill)]] : [[key, value]]
  })
  return Object.fromEntries([...kept, ...absent])
}

/** Users are matched by name; items of other lists, if they are loaded as they were shown. */
function keepInList(
  { loaded, stored, shown }: Place,
  at: readonly string[],
  fill: SecretStorage['fill'],
): unknown {
  if (!Array.isArray(loaded) || !Array.isArray(stored) || !Array.isArray(shown)) return loaded
  const list = memberLists.find(({ keys }) => isDeepStrictEqual(keys, at))
  const nameOf = (item: unknown) => (list && isMap(item) ? fill(item[list.name]) : undefined)
  const places = new Map(stored.map((item, index) => [nameOf(item), index]))
  return loaded.map((item: unknown) => {
    const index = list
      ? (places.get(nameOf(item)) ?? -1)
      : shown.findIndex((one) => isDeepStrictEqual(one, item))
    if (index < 0) return item
    return keep({ loaded: item, stored: stored[index], shown: shown[index] }, at, fill)
  })
}

function keep(place: Place, at: readonly string[], fill: SecretStorage['fill']): unknown {
  // most of a document hides nothing
  if (isDeepStrictEqual(place.stored, place.shown)) return place.loaded
  return Array.isArray(place.loaded) ? keepInList(place, at, fill) : keepInMap(place, at, fill)
}

/**
 * The loaded document with the stored values that `get_realm` hides and the load omits: to load what `get_realm` gave
 * changes nothing.
 * @param stored the document that is replaced, as written; undefined for a new realm
 */
export function withHidden(
  loaded: RealmDocument,
  stored: RealmDocument | undefined,
  fill: SecretStorage['fill'],
): RealmDocument {
  if (stored === undefined) return loaded
  return keep({ loaded, stored, shown: shownRealm(stored) }, [], fill) as RealmDocument
}

/**
 * The document for the store: as written, with passwords replaced by their stored form and other secrets sealed.
 * @param before the stored document that is replaced, as written
 */
export async function storeSecrets(
  { written, filled }: Pair,
  before: RealmDocument | undefined,
  storage: SecretStorage,
): Promise<RealmDocument> {
  const { box, fill } = storage
  const realm_uri = String(filled.uri)
  const { ts: _, ...rest } = written
  const old = before && fill(before)
  const sealed = sealSecrets(withHidden(rest, before, fill), old, realm_uri, box) as JsonMap
  let result: JsonMap = { ...sealed, uri: realm_uri }
  if ('prototype_uri' in filled) result = { ...result, prototype_uri: filled.prototype_uri }
  const stored = storedPasswords(old)
  for (const { keys, name, secret } of memberLists) {
    const members = maps(at(result, keys))
    if (at(result, keys) === undefined) continue
    const values = maps(at(filled, keys))
    const kept = members.map(async (member, index) => {
      const { [secret]: password, [name]: username } = values[index] ?? {}
      const found = stored.get(username)
      const owner = { realm_uri, username: String(username) }
      const { [secret]: _secret, ...others } = member
      if (typeof password === 'string') {
        return { ...others, [secret]: await storePassword(password, found, owner, storage) }
      }
      if (password === null || found === undefined) return others
      return { ...others, [secret]: keepStored(found, storage) }
    })
    result = withAt(result, keys, await Promise.all(kept))
  }
  return result
}

/**
 * The document with the password of a user replaced, in whichever list the user is.
 * @throws ServiceError `wamp.error.invalid_argument` for an empty password, `service.error.not_found` for an unknown user
 */
export async function changedPassword(
  { written, filled }: Pair,
  username: string,
  password: string,
  storage: SecretStorage,
): Promise<RealmDocument> {
  if (password === '') {
    throw new ServiceError('wamp.error.invalid_argument', 'password: expected a non-empty string')
  }
  if (password === mask) {
    const message = `password: ${mask} stands for a password that is kept`
    throw new ServiceError('wamp.error.invalid_argument', message)
  }
  for (const { keys, name, secret } of memberLists) {
    const index = maps(at(filled, keys)).findIndex((member) => member[name] === username)
    if (index < 0) continue
    const members = maps(at(written, keys))
    const old = members[index]?.[secret]
    const stored = isMap(old) ? (old as unknown as StoredPassword) : undefined
    const owner = { realm_uri: String(filled.uri), username }
    const kept = await storePassword(password, stored, owner, storage)
    const changed = members.map((member, at) =>
      at === index ? { ...member, [secret]: kept } : member,
    )
    return withAt(written, keys, changed)
  }
  throw new ServiceError('service.error.not_found', 'the realm has no user with this name')
}
