/** The shown part of a realm document: all but its secrets; and the mask, which stands for a secret in what is loaded. */
import { type Difference, differencesBetween } from '#component/codec/json-diff.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { at, maps } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { isChosenName, secretWords } from './secrets.ts'

/** In the place of a secret: the stored one. The log masks secrets with the same text. */
export const mask = '[masked]'

/** The known keys that contain such a word and hold no secret. */
const plainKeys: ReadonlySet<string> = new Set([
  'token_endpoint_auth_method',
  'pass_access_token',
  'token_url',
  'subject_token_type',
  'requested_token_type',
])

/** Whether a key has a word of secrets anywhere: its value is not shown. */
const isHiddenKey = (key: string): boolean => {
  const lower = key.toLowerCase()
  return !plainKeys.has(lower) && secretWords.some((word) => lower.includes(word))
}

/** The keys of users that are shown: any other key may hold a secret. */
const shownUserKeys = new Set([
  'username',
  'client_id',
  'authorized_keys',
  'groups',
  'scopes',
  'meta',
  'enabled',
  'description',
])

/** Whether a key of a user is shown. */
export const isShownUserKey = (key: string): boolean => shownUserKeys.has(key)

/** Stands in for a hidden value; undefined leaves its key out. */
type Hide = (value: unknown) => unknown

/** A map with its hidden members replaced or left out. */
function hideIn(
  map: JsonMap,
  isShown: (key: string, value: unknown) => boolean,
  hide: Hide,
): JsonMap {
  const members = Object.entries(map).map(([key, value]) => [
    key,
    isShown(key, value) ? value : hide(value),
  ])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function showMembers(value: unknown, hide: Hide, holder?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => showMembers(item, hide))
  if (!isMap(value)) return value
  const shown = hideIn(value, (key, one) => isChosenName(holder, one) || !isHiddenKey(key), hide)
  return Object.fromEntries(
    Object.entries(shown).map(([key, member]) => [key, showMembers(member, hide, key)]),
  )
}

const showUsers = (users: unknown, hide: Hide) =>
  maps(users).map((user) => showMembers(hideIn(user, isShownUserKey, hide), hide))

/** The document with its hidden values replaced or left out. */
function hideSecrets(document: RealmDocument, hide: Hide): RealmDocument {
  const shown: Record<string, unknown> = { ...(showMembers(document, hide) as JsonMap) }
  if ('users' in document) shown.users = showUsers(document.users, hide)
  const { oauth2 } = document
  if (isMap(oauth2)) {
    const isList = (key: string) => key === 'clients' || key === 'resource_owners'
    const lists = Object.entries(hideIn(oauth2, isList, hide))
    shown.oauth2 = Object.fromEntries(
      lists.map(([key, users]) => [key, isList(key) ? showUsers(users, hide) : users]),
    )
  }
  return shown
}

/** The document without secrets, `${NAME}` as written. */
export const shownRealm = (document: RealmDocument): RealmDocument =>
  hideSecrets(document, () => undefined)

/** A hidden value, which can be compared and is not shown. */
class Hidden {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function masked(value: unknown): unknown {
  if (value instanceof Hidden) return mask
  if (Array.isArray(value)) return value.map(masked)
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, masked(member)]))
}

/** Users, groups and providers keep their names when they change their places. */
function nameOf(item: unknown): string | undefined {
  const names = ['username', 'client_id', 'name'].map((key) => memberOf(item, key))
  const name = names.find((one) => one !== undefined)
  return typeof name === 'string' ? name : undefined
}

/** The differences between two stored documents of a realm; a secret that differs is masked on both sides. */
export function realmDifferences(from: RealmDocument, to: RealmDocument): readonly Difference[] {
  const [before, after] = [from, to].map((one) => hideSecrets(one, (value) => new Hidden(value)))
  return differencesBetween(before, after, '', nameOf).map(
    (difference) => masked(difference) as Difference,
  )
}

/** A document to load, without its masks, and the keys that lead to each of them. */
export interface Unmasked {
  readonly document: unknown
  readonly masks: readonly (readonly string[])[]
}

/** Takes the masks out: the text {@link mask} wherever the document is not shown. Elsewhere it is a text like any other. */
export function withoutMasks(document: unknown): Unmasked {
  const masks: (readonly string[])[] = []
  const walk = (value: unknown, shown: unknown, keys: readonly string[]): unknown => {
    if (value === mask && shown === undefined) {
      masks.push(keys)
      return undefined
    }
    const inner = (key: string, member: unknown) => walk(member, at(shown, [key]), [...keys, key])
    if (Array.isArray(value)) return value.map((item, index) => inner(String(index), item) ?? null)
    if (!isMap(value)) return value
    const members = Object.entries(value).map(([key, member]) => [key, inner(key, member)])
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }
  if (!isMap(document)) return { document, masks }
  return { document: walk(document, shownRealm(document), []), masks }
}
