/** A realm whose users and grants the tests of edits change. */
import { ServiceError } from '#component/errors.ts'
import type { Edit } from '#component/realm/documents/edits.ts'
import { Logins } from '#component/realm/logins.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

/** The realm that is edited. */
export const uri = 'com.example.realm'
const key = 'ab'.repeat(32)
/** `${name}`, which linters take for a template. */
export const variable = (name: string) => `$${'{'}${name}}`

/** A grant by a URI. */
export const read = {
  permissions: ['wamp.call'],
  uri: 'com.books.',
  match: 'prefix',
  roles: ['readers'],
}
/** A grant by resources. */
export const write = {
  permissions: 'wamp.call',
  roles: ['writers', 'editors'],
  resources: [{ uri: 'com.books.add' }, { uri: 'com.books.', match: 'prefix' }],
}
/** The document of the realm. */
export const document = {
  uri,
  authmethods: ['password', 'wampcra', 'anonymous'],
  users: [
    { username: 'ada', password: 'lovelace', groups: ['readers'], meta: { desk: 1 }, pin: 'x' },
    { username: variable('OPS'), password: variable('OPS_PASSWORD') },
    { username: 'device', authorized_keys: [key] },
  ],
  oauth2: { clients: [{ client_id: 'app', client_secret: 's3cret' }] },
  grants: [read, write],
}
/** The variables that it names. */
export const environment = { OPS: 'ops', OPS_PASSWORD: 'of ops' }

/** The realm of a document, and what became of it. */
export async function opened(loaded: object = document, store = new MemoryStore()) {
  const found = await realmsWith(environment, store)
  await found.realms.load(loaded)
  const ended: string[] = []
  found.realms.onUsersRevoked = (users) => void ended.push(...users.map(({ authid }) => authid))
  const logIn = async (username: string, password: string) =>
    (await new Logins(found).password(uri, username, password, '192.0.2.1')) !== undefined
  const refusal = async (edit: Edit) => {
    const cause: unknown = await found.realms.edit(uri, edit).catch((error: unknown) => error)
    if (!(cause instanceof ServiceError)) throw new TypeError('expected a refusal')
    return cause
  }
  const shown = () => found.realms.get(uri) as Omit<typeof document, 'ts'>
  return { ...found, ended, logIn, refusal, shown }
}
