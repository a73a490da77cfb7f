/** The secrets of realm documents: replaced on the way into the store, left out on the way to people. */
import type { RealmDocument } from './model.ts'
import { protectPassword } from './password.ts'
import { isMap } from './rules.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** A document and the same one with the environment filled in; they have one shape. */
interface Pair {
  readonly written: JsonMap
  readonly filled: JsonMap
}

const maps = (value: unknown): JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])

async function protectList(written: unknown, filled: unknown, key: string): Promise<JsonMap[]> {
  const values = maps(filled)
  return Promise.all(
    maps(written).map(async (member, index) => {
      const password = values[index]?.[key]
      if (typeof password !== 'string') return member
      return { ...member, [key]: await protectPassword(password) }
    }),
  )
}

/** The document for the store: as written, but what proves who a user is replaced by what checks it. */
export async function protectDocument({ written, filled }: Pair): Promise<RealmDocument> {
  const result: Record<string, unknown> = { ...written, uri: filled.uri }
  if ('prototype_uri' in filled) result.prototype_uri = filled.prototype_uri
  delete result.ts
  if (isMap(written) && 'users' in written) {
    result.users = await protectList(written.users, filled.users, 'password')
  }
  const { oauth2 } = written
  if (!isMap(oauth2) || !isMap(filled.oauth2)) return result
  const parts: Record<string, unknown> = { ...oauth2 }
  for (const [key, secret] of [
    ['clients', 'client_secret'],
    ['resource_owners', 'password'],
  ] as const) {
    if (key in oauth2) parts[key] = await protectList(oauth2[key], filled.oauth2[key], secret)
  }
  return { ...result, oauth2: parts }
}

/** Of a user nothing else is shown: an unknown key may hold a secret that somebody noted down. */
const shownOfUsers = new Set([
  'username',
  'client_id',
  'authorized_keys',
  'groups',
  'meta',
  'enabled',
  'description',
])

const secretWords = ['password', 'secret', 'private_key', 'token', 'credential', 'api_key'] as const

const isSecretKey = (key: string): boolean => {
  const lower = key.toLowerCase()
  return secretWords.some((word) => lower.includes(word))
}

function showMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(showMembers)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isSecretKey(key))
      .map(([key, member]) => [key, showMembers(member)]),
  )
}

const showUsers = (users: unknown) =>
  maps(users).map((user) =>
    showMembers(Object.fromEntries(Object.entries(user).filter(([key]) => shownOfUsers.has(key)))),
  )

/** What `GET /realms/:uri` shows: the document without secrets, `${NAME}` as written, and `ts`. */
export function showRealm(document: RealmDocument, ts: number): JsonMap {
  const shown: Record<string, unknown> = { ...(showMembers(document) as JsonMap) }
  if ('users' in document) shown.users = showUsers(document.users)
  const { oauth2 } = document
  if (isMap(oauth2)) {
    shown.oauth2 = Object.fromEntries(
      Object.entries(oauth2)
        .filter(([key]) => key === 'clients' || key === 'resource_owners')
        .map(([key, users]) => [key, showUsers(users)]),
    )
  }
  return { ...shown, ts }
}
