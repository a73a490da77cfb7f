/** A realm document on its way into the store: passwords hashed, other secrets sealed. */
import type { SecretBox } from '#component/secret-box.ts'
import { at, maps, memberLists, withAt } from './members.ts'
import type { RealmDocument } from './model.ts'
import { type ProtectedPassword, protectPassword } from './password.ts'
import { isMap } from './rules.ts'
import { purposeOf, sealSecrets } from './sealed.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** A document and the same one with the environment filled in; they have one shape. */
interface Pair {
  readonly written: JsonMap
  readonly filled: JsonMap
}

/** How secrets are kept. */
export interface Keeping {
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  /** Is the password itself needed again, for a router that checks WAMP-CRA by it? */
  readonly keepsPasswords: boolean
}

/** What is stored in the place of each password, by the name of its user. */
function storedPasswords(filled: unknown): Map<unknown, ProtectedPassword> {
  const found = new Map<unknown, ProtectedPassword>()
  for (const { keys, name, secret } of memberLists) {
    for (const member of maps(at(filled, keys))) {
      const stored = member[secret]
      if (isMap(stored)) found.set(member[name], stored as unknown as ProtectedPassword)
    }
  }
  return found
}

/**
 * What is stored in the place of a password.
 * @param stored what is there now: the password that it was made of keeps it, so that nothing of its user ends
 */
export async function keepPassword(
  password: string,
  stored: ProtectedPassword | undefined,
  realm_uri: string,
  { box, keepsPasswords }: Keeping,
): Promise<ProtectedPassword> {
  const { argon2id, wampcra, sealed } = await protectPassword(password, stored)
  if (!keepsPasswords) return { argon2id, wampcra }
  const purpose = purposeOf(realm_uri)
  return { argon2id, wampcra, sealed: sealed ?? box.seal(password, purpose) }
}

/**
 * The document for the store: as written, but what proves who a user is replaced by what checks it.
 * @param before what is stored now, with the environment filled in
 */
export async function protectDocument(
  { written, filled }: Pair,
  before: RealmDocument | undefined,
  keeping: Keeping,
): Promise<RealmDocument> {
  const uri = String(filled.uri)
  const { ts: _, ...rest } = written
  const sealed = sealSecrets(rest, before, uri, keeping.box) as JsonMap
  let result: JsonMap = { ...sealed, uri }
  if ('prototype_uri' in filled) result = { ...result, prototype_uri: filled.prototype_uri }
  const stored = storedPasswords(before)
  for (const { keys, name, secret } of memberLists) {
    const members = maps(at(result, keys))
    if (at(result, keys) === undefined) continue
    const values = maps(at(filled, keys))
    const kept = members.map(async (member, index) => {
      const value = values[index]
      const password = value?.[secret]
      if (typeof password !== 'string') return member
      return {
        ...member,
        [secret]: await keepPassword(password, stored.get(value?.[name]), uri, keeping),
      }
    })
    result = withAt(result, keys, await Promise.all(kept))
  }
  return result
}
