/** A realm document as people see it: without its secrets. */

import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { maps } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { isChosenName } from './provider-rules.ts'

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

const secretWords = [
  'password',
  'passphrase',
  'secret',
  'private_key',
  'token',
  'credential',
  'api_key',
] as const

const isSecretKey = (key: string): boolean => {
  const lower = key.toLowerCase()
  // the one known key that has such a word in it and holds no secret
  if (lower === 'token_endpoint_auth_method') return false
  return secretWords.some((word) => lower.includes(word))
}

function showMembers(value: unknown, holder?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => showMembers(item))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => isChosenName(holder, member) || !isSecretKey(key))
      .map(([key, member]) => [key, showMembers(member, key)]),
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
