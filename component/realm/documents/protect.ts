/** A realm document on its way into the store: passwords hashed, other secrets sealed. */

import type { SecretBox } from '#component/secret-box.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { withHidden } from './keep-hidden.ts'
import { at, maps, memberLists, withAt } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { type ProtectedPassword, protectPassword } from './password.ts'
import { purposeOf, sealSecrets } from './sealed.ts'
import { type SecretOwner, sealWampCra } from './wampcra-secret.ts'

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
  /** Rounds of PBKDF2 for new WAMP-CRA secrets; undefined where the realm serves no WAMP-CRA: none is stored. */
  readonly rounds: number | undefined
  /** Fills the environment in. */
  readonly fill: (value: unknown) => unknown
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

/** As much of what is stored as the realm needs, sealed. */
function keepStored(
  { argon2id, wampcra, sealed }: ProtectedPassword,
  owner: SecretOwner,
  { box, keepsPasswords, rounds }: Keeping,
): ProtectedPassword {
  return {
    argon2id,
    ...(wampcra && rounds !== undefined && { wampcra: sealWampCra(wampcra, owner, box) }),
    ...(sealed !== undefined && keepsPasswords && { sealed }),
  }
}

/**
 * What is stored in the place of a password.
 * @param stored what is there now: the password that it was made of keeps it, so that nothing of its user ends
 */
export async function keepPassword(
  password: string,
  stored: ProtectedPassword | undefined,
  owner: SecretOwner,
  keeping: Keeping,
): Promise<ProtectedPassword> {
  const { box, keepsPasswords, rounds } = keeping
  const made = await protectPassword(password, stored, rounds)
  const { sealed = keepsPasswords ? box.seal(password, purposeOf(owner.realm_uri)) : undefined } =
    made
  return keepStored({ ...made, ...(sealed !== undefined && { sealed }) }, owner, keeping)
}

/**
 * The document for the store: as written, but what proves who a user is replaced by what checks it. What is stored now and
 * never shown is kept where the document does not name it.
 * @param before what is stored now, as written
 */
export async function protectDocument(
  { written, filled }: Pair,
  before: RealmDocument | undefined,
  keeping: Keeping,
): Promise<RealmDocument> {
  const { box, fill } = keeping
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
        return { ...others, [secret]: await keepPassword(password, found, owner, keeping) }
      }
      if (password === null || found === undefined) return others
      return { ...others, [secret]: keepStored(found, owner, keeping) }
    })
    result = withAt(result, keys, await Promise.all(kept))
  }
  return result
}
