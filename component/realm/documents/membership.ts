/** Where a realm document says who there is: users, and what old files call clients and resource owners of OAuth2. */
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

/** The value at a place of a document; undefined when the document has no such place. */
export const at = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce(memberOf, document)

/** The document with something else at a place that exists. */
export function withAt(document: JsonMap, keys: readonly string[], value: unknown): JsonMap {
  const [key = '', ...rest] = keys
  if (rest.length === 0) return { ...document, [key]: value }
  const inner = document[key]
  return isMap(inner) ? { ...document, [key]: withAt(inner, rest, value) } : document
}
