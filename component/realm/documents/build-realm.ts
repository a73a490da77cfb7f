/** From all stored realm documents to realms that can be asked, and why some of them accept no sessions. */
import { isInRanges, networksOf } from '#component/syntax/ip-address.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { isMatch } from '#component/syntax/wamp-uri.ts'
import { type Environment, fillEnvironment } from './environment.ts'
import { prototypeOf, prototypesOf } from './inheritance.ts'
import { at, type MemberList, maps, memberLists, nameOf } from './membership.ts'
import type { Grant, Realm, RealmDocument, Resource, Scope, Source, User } from './model.ts'
import { hasLoginPage, pageOf } from './page-rules.ts'
import type { StoredPassword } from './password.ts'

/** The keys that a realm inherits from its prototype unless it sets them itself (behaviour: Realms). */
const inherited = [
  'authmethods',
  'security_enabled',
  'groups',
  'scopes',
  'sources',
  'grants',
  'login_page',
  'info',
] as const

/** The methods of a realm with users that names no methods; without users its sessions are anonymous. */
const methodsForUsers = ['cryptosign', 'wampcra', 'ticket', 'password'] as const

const texts = (value: unknown): string[] => {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

/** Names of users and groups, as they are compared. */
const names = (value: unknown): string[] => texts(value).map(nameOf)

/** Groups by name, with the groups they belong to. */
type Groups = ReadonlyMap<string, readonly string[]>

function allGroups(direct: readonly string[], groups: Groups): string[] {
  const found = new Set(direct)
  for (const name of found) for (const outer of groups.get(name) ?? []) found.add(outer)
  return [...found]
}

function readUser(member: JsonMap, { name, secret, group }: MemberList, groups: Groups): User {
  const stored = member[secret]
  const direct = names(member.groups ?? [])
  return {
    username: nameOf(member[name]),
    groups: allGroups(group === undefined ? direct : [...direct, group], groups),
    meta: isMap(member.meta) ? member.meta : {},
    ...(member.scopes !== undefined && { scopes: new Set(names(member.scopes)) }),
    password: isMap(stored) ? (stored as unknown as StoredPassword) : undefined,
    authorized_keys: texts(member.authorized_keys ?? []).map((key) => key.toLowerCase()),
  }
}

/** Those that are enabled, by name, and the names of the others. */
function readUsers(document: JsonMap, groups: Groups): Pick<Realm, 'users' | 'disabled'> {
  const users = new Map<string, User>()
  const disabled = new Set<string>()
  for (const list of memberLists) {
    for (const member of maps(at(document, list.keys))) {
      const user = readUser(member, list, groups)
      if (member.enabled === false) disabled.add(user.username)
      else users.set(user.username, user)
    }
  }
  return { users, disabled }
}

/** Those whose name is that of a role are none, whichever prototype declares which: no token is good for more than it says. */
function readScopes(document: JsonMap, { users }: Pick<Realm, 'users'>): Realm['scopes'] {
  const { scopes } = document
  if (!isMap(scopes)) return none
  const roles = new Set(
    [...users.values()].flatMap(({ username, groups }) => [username, ...groups]),
  )
  const found = new Map<string, Scope>()
  for (const [name, scope] of Object.entries(scopes)) {
    if (!isMap(scope) || roles.has(name)) continue
    const { description } = scope
    found.set(name, {
      roles: new Set(names(scope.roles)),
      description: typeof description === 'string' ? description : undefined,
    })
  }
  return found
}

const none: Realm['scopes'] = new Map()

const readSource = (source: JsonMap): Source => ({
  usernames: names(source.usernames).includes('all') ? 'all' : names(source.usernames),
  authmethod: String(source.authmethod),
  isFrom: isFrom(String(source.cidr)),
})

function isFrom(cidr: string): Source['isFrom'] {
  const networks = networksOf([cidr])
  return (address) => isInRanges(address, networks)
}

/** The resource of `"uri": "*"`, whatever its `match`: many security configurations write every URI this way. */
const everyUri: Resource = { uri: '', match: 'prefix' }

const readResource = ({ uri, match }: JsonMap): Resource =>
  uri === '*'
    ? everyUri
    : {
        uri: String(uri),
        match: isMatch(match) ? match : 'exact',
      }

const readGrant = (grant: JsonMap): Grant => ({
  roles: new Set(names(grant.roles)),
  permissions: new Set(texts(grant.permissions)),
  resources: [
    ...(typeof grant.uri === 'string' ? [readResource(grant)] : []),
    ...maps(grant.resources).map(readResource),
  ],
})

/**
 * Whether users log in by WAMP-CRA.
 * @param filled the document, with the environment filled in
 * @param prototypes the documents it inherits from, nearest first, filled in, too
 */
export function servesWampCra(filled: RealmDocument, prototypes: readonly RealmDocument[]) {
  const { authmethods = methodsForUsers } =
    [filled, ...prototypes].find((one) => one.authmethods !== undefined) ?? {}
  return texts(authmethods).includes('wampcra')
}

/** The document with what its prototypes, nearest first, set in its place. */
function inherit(document: JsonMap, prototypes: readonly JsonMap[]): JsonMap {
  const result: Record<string, unknown> = { ...document }
  for (const prototype of prototypes) {
    for (const key of inherited) {
      if (!(key in result) && key in prototype) result[key] = prototype[key]
    }
  }
  return result
}

const isUnrestricted = ({ security_enabled, grants }: JsonMap): boolean =>
  security_enabled === false || (security_enabled === undefined && grants === undefined)

/**
 * Makes a realm ready.
 * @param prototypes the documents it inherits from, nearest first
 * @param isPrototype whether other realms inherit from it
 */
function buildRealm(
  document: RealmDocument,
  prototypes: readonly RealmDocument[],
  isPrototype: boolean,
  environment: Environment,
): Realm {
  // a variable that was removed since the load counts as empty: the realm grants less, not more
  const fill = (one: RealmDocument) => fillEnvironment(one, environment, '', []) as JsonMap
  const whole = inherit(fill(document), prototypes.map(fill))
  const groups: Groups = new Map(
    maps(whole.groups).map((group) => [nameOf(group.name), names(group.groups ?? [])]),
  )
  const { users, disabled } = readUsers(whole, groups)
  return {
    uri: String(whole.uri),
    authmethods:
      whole.authmethods === undefined
        ? users.size > 0
          ? methodsForUsers
          : ['anonymous']
        : texts(whole.authmethods),
    allow_connections: whole.allow_connections !== false,
    isPrototype: isPrototype || whole.is_prototype === true,
    users,
    disabled,
    sources: whole.sources === undefined ? undefined : maps(whole.sources).map(readSource),
    isUnrestricted: isUnrestricted(whole),
    grants: maps(whole.grants).map(readGrant),
    scopes: readScopes(whole, { users }),
    login_page: hasLoginPage(whole),
    page: pageOf(whole),
    info: isMap(whole.info) ? whole.info : {},
  }
}

/** A realm that takes no sessions and grants nothing: of a document that cannot be made ready here. */
const closedRealm = (uri: string, isPrototype: boolean): Realm => ({
  uri,
  authmethods: [],
  allow_connections: false,
  isPrototype,
  users: new Map(),
  disabled: new Set(),
  sources: [],
  isUnrestricted: false,
  grants: [],
  scopes: none,
  login_page: false,
  page: pageOf({ uri }),
  info: {},
})

/** The newest document of a realm. */
export interface Stored {
  readonly document: RealmDocument
  /** SHA-256, hex, of its canonical JSON, stored secrets included. */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly ts: number
}

/** The realm, or why the stored documents do not make one. */
function build(
  uri: string,
  isPrototype: boolean,
  stored: ReadonlyMap<string, Stored>,
  environment: Environment,
): Realm | string {
  const { document } = stored.get(uri) ?? {}
  if (document?.uri !== uri) return 'its document belongs to another realm'
  const chain = prototypesOf(document, (at) => stored.get(at)?.document)
  if (typeof chain === 'string') return chain
  try {
    return buildRealm(document, chain, isPrototype, environment)
  } catch (cause) {
    return `it cannot be built: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Every realm by URI; one that cannot be made is closed, and its problem told. */
export function buildAll(stored: ReadonlyMap<string, Stored>, environment: Environment) {
  const prototypes = new Set([...stored.values()].map(({ document }) => prototypeOf(document)))
  const realms = new Map<string, Realm>()
  const problems = new Map<string, string>()
  for (const uri of stored.keys()) {
    const isPrototype = prototypes.has(uri)
    const built = build(uri, isPrototype, stored, environment)
    if (typeof built === 'string') problems.set(uri, built)
    realms.set(uri, typeof built === 'string' ? closedRealm(uri, isPrototype) : built)
  }
  return { realms, problems }
}
