/** Edits of a shown realm document: one user, one grant or one target of an upstream is set or deleted, and all else stays as it is. */
import { pointer } from '#component/codec/json.ts'
import { type Issue, ServiceError } from '#component/errors.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { at, type MemberList, maps, memberLists, withAt } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { isShownUserKey } from './shown-realm.ts'

/** What an edit reads beside the document. */
interface EditContext {
  /** Fills the environment in. */
  readonly fill: (value: unknown) => unknown
  /** The documents that the realm inherits from, nearest first. */
  readonly prototypes: readonly RealmDocument[]
}

/** The outcome of an edit. */
export interface Edited {
  readonly document: RealmDocument
  /** JSON Pointer of the user or grant that was set; undefined when it was deleted. */
  readonly path?: string
  /** Whether the user or grant was not there before. */
  readonly isNew: boolean
  readonly warnings: readonly Issue[]
  /** The log line. */
  readonly done: string
  /** The user that was set or deleted. */
  readonly user?: string
}

/**
 * Changes a document, which is shown without secrets; they stay with their users.
 * @throws ServiceError `wamp.error.invalid_argument`, `service.error.not_found`
 */
export type Edit = (document: RealmDocument, context: EditContext) => Edited

const refuse = (message: string) => new ServiceError('wamp.error.invalid_argument', message)

/** Where a user stands in a document. */
interface Place {
  readonly list: MemberList
  readonly index: number
}

function findUser(
  document: RealmDocument,
  username: string,
  fill: EditContext['fill'],
): Place | undefined {
  for (const list of memberLists) {
    const index = maps(at(document, list.keys)).findIndex(
      (member) => fill(member[list.name]) === username,
    )
    if (index >= 0) return { list, index }
  }
  return undefined
}

const textsOf = (value: unknown): unknown[] => [...new Set([value].flat())].sort()

/** Whether the realm has an enabled user, and so asks for credentials where it names no authmethods. */
const hasUsers = (document: RealmDocument): boolean =>
  memberLists.some(({ keys }) => maps(at(document, keys)).some(({ enabled }) => enabled !== false))

/**
 * Warns when a first user closes a realm that was open to anybody.
 * @throws ServiceError `wamp.error.invalid_argument` when the realm would be open to anybody without its last user
 */
function checkAuthmethods(
  before: RealmDocument,
  after: RealmDocument,
  { prototypes }: EditContext,
): Issue[] {
  const isNamed = [after, ...prototypes].some(({ authmethods }) => authmethods !== undefined)
  if (isNamed || hasUsers(before) === hasUsers(after)) return []
  if (hasUsers(after)) {
    const message =
      'the realm names no authmethods and has its first user: it admits anonymous sessions no more'
    return [{ path: '/authmethods', message }]
  }
  throw refuse(
    'username: without this user the realm would admit anonymous sessions: give the realm authmethods first',
  )
}

/** Warns of a user whom no source admits, at all or, of a resource owner, by `oauth2`. */
function checkSources(
  { groups, enabled }: JsonMap,
  username: string,
  document: RealmDocument,
  { fill, prototypes }: EditContext,
): Issue[] {
  const sources = [document, ...prototypes].find((one) => one.sources !== undefined)?.sources
  if (sources === undefined || enabled === false) return []
  const methods = maps(fill(sources))
    .filter(({ usernames }) => usernames === 'all' || textsOf(usernames).includes(username))
    .map(({ authmethod }) => authmethod)
  const remedy = 'name the user in usernames of a source'
  if (methods.length === 0) {
    return [{ path: '/sources', message: `no source admits the user: ${remedy}` }]
  }
  if (!textsOf(groups).includes('resource_owners') || methods.includes('oauth2')) return []
  const message = `no source admits the user by oauth2, so it gets no token: ${remedy} with authmethod oauth2`
  return [{ path: '/sources', message }]
}

/** The keys of the user as the list names them. `null` removes a key; of a secret the load does it. */
function mergeUser(member: JsonMap, user: JsonMap, { name, secret }: MemberList): JsonMap {
  const { username: _, password, ...others } = user
  const given = { ...others, ...(password !== undefined && { [secret]: password }) }
  const isRemoved = ([key, value]: [string, unknown]) => value === null && isShownUserKey(key)
  const merged = Object.entries({ ...member, ...given, [name]: member[name] })
  return Object.fromEntries(merged.filter((entry) => !isRemoved(entry)))
}

/** Adds a user, or changes the keys of one that are given; absent keys stay, and `null` removes a key. */
export const settingUser =
  (user: JsonMap): Edit =>
  (document, context) => {
    const { username } = user
    if (typeof username !== 'string' || username === '') throw refuse('user: expected a username')
    const found = findUser(document, username, context.fill)
    const { list, index } = found ?? { list: memberLists[0] as MemberList, index: -1 }
    const members = maps(at(document, list.keys))
    const merged = mergeUser(members[index] ?? { [list.name]: username }, user, list)
    const changed = found ? members.with(index, merged) : [...members, merged]
    const edited = withAt(document, list.keys, changed)
    return {
      document: edited,
      path: pointer('', ...list.keys, found ? index : members.length),
      isNew: !found,
      done: 'user set',
      user: username,
      warnings: [
        ...checkAuthmethods(document, edited, context),
        ...checkSources(merged, username, edited, context),
      ],
    }
  }

/** Deletes a user. */
export const deletingUser =
  (username: string): Edit =>
  (document, context) => {
    const found = findUser(document, username, context.fill)
    if (!found) {
      throw new ServiceError('service.error.not_found', 'the realm has no user with this name')
    }
    const { list, index } = found
    const edited = withAt(document, list.keys, maps(at(document, list.keys)).toSpliced(index, 1))
    const warnings = checkAuthmethods(document, edited, context)
    return { document: edited, isNew: false, warnings, done: 'user deleted', user: username }
  }

/** What a grant is known by: its roles and its URIs, in any order. */
function identityOf(grant: JsonMap, fill: EditContext['fill']): string {
  const { roles, uri, match, resources } = fill(grant) as JsonMap
  const own = uri === undefined ? [] : [{ uri, match }]
  const places = [...own, ...maps(resources)].map((one) => [one.uri, one.match ?? 'exact'])
  return JSON.stringify([textsOf(roles), places.map((place) => JSON.stringify(place)).sort()])
}

/** The places of the grants for the same roles on the same URIs. */
function findGrants(
  document: RealmDocument,
  grant: JsonMap,
  { fill }: EditContext,
): readonly number[] {
  if (
    grant.roles === undefined ||
    (grant.uri === undefined && !isMap([grant.resources].flat()[0]))
  ) {
    throw refuse('grant: expected roles, and uri (with match) or resources')
  }
  const wanted = identityOf(grant, fill)
  return maps(document.grants).flatMap((one, index) =>
    identityOf(one, fill) === wanted ? [index] : [],
  )
}

/** The warning of a first grant; undefined for any other one. @throws ServiceError when the grants are those of a prototype */
function firstGrant(document: RealmDocument, { prototypes }: EditContext): Issue | undefined {
  if (document.grants !== undefined) return undefined
  const heir = prototypes.find(({ grants }) => grants !== undefined)
  if (heir) {
    throw refuse(
      `uri: the realm inherits its grants from ${heir.uri}: set the grant there, or load the realm with grants of its own`,
    )
  }
  if ([document, ...prototypes].some((one) => one.security_enabled !== undefined)) return undefined
  const message =
    'the realm had no grants and allowed everything: it allows what its grants name now'
  return { path: '/grants', message }
}

/** Adds a grant, or takes the place of those for the same roles on the same URIs; keys that are absent stay, and `null` removes a key. */
export const settingGrant =
  (grant: JsonMap): Edit =>
  (document, context) => {
    const places = findGrants(document, grant, context)
    const warning = firstGrant(document, context)
    const grants = maps(document.grants)
    const [place = grants.length, ...others] = places
    const merged = Object.entries({ ...grants[place], ...grant }).filter(
      ([, value]) => value !== null,
    )
    const changed = [
      ...grants.slice(0, place),
      Object.fromEntries(merged),
      ...grants.slice(place + 1),
    ]
    return {
      document: { ...document, grants: changed.filter((_, index) => !others.includes(index)) },
      path: pointer('', 'grants', place),
      isNew: places.length === 0,
      done: 'grant set',
      warnings: warning ? [warning] : [],
    }
  }

/** Deletes the grants for these roles on these URIs. */
export const deletingGrant =
  (grant: JsonMap): Edit =>
  (document, context) => {
    const places = findGrants(document, grant, context)
    if (places.length === 0) {
      const message = 'the realm has no grant for these roles on these URIs'
      throw new ServiceError('service.error.not_found', message)
    }
    const grants = maps(document.grants).filter((_, index) => !places.includes(index))
    return { document: { ...document, grants }, isNew: false, warnings: [], done: 'grant deleted' }
  }

/** What an edit of a target may change: the rest is a load. */
const targetKeys: readonly string[] = ['drain', 'weight']

/**
 * Changes whether a target gets requests, and how many; an absent key stays, and `null` removes it.
 * @param url of the target, as the document writes it or with the environment filled in
 */
export const settingTarget =
  (upstream: string, url: string, changes: JsonMap): Edit =>
  (document, { fill, prototypes }) => {
    const foreign = Object.keys(changes).filter((key) => !targetKeys.includes(key))
    if (foreign.length > 0) {
      throw refuse(`changes: expected ${targetKeys.join(', ')}, got ${foreign.join(', ')}`)
    }
    if (document.info === undefined) {
      const heir = prototypes.find(({ info }) => info !== undefined)
      if (heir) throw refuse(`uri: the realm inherits its info from ${heir.uri}: change it there`)
    }
    const keys = ['info', 'upstreams', upstream, 'targets']
    const targets = maps(at(document, keys))
    const index = targets.findIndex((one) => one.url === url || fill(one.url) === url)
    const target = targets[index]
    if (target === undefined) {
      const message = 'the realm has no upstream of this name with a target of this url'
      throw new ServiceError('service.error.not_found', message)
    }
    const merged = Object.entries({ ...target, ...changes }).filter(([, value]) => value !== null)
    return {
      document: withAt(document, keys, targets.with(index, Object.fromEntries(merged))),
      path: pointer('', ...keys, index),
      isNew: false,
      warnings: [],
      done: 'upstream target set',
    }
  }
