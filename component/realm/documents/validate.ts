/** Judges a realm document: every issue and warning with its JSON Pointer (behaviour: Realms). */
import { pointer } from '#component/codec/json.ts'
import { readRange } from '#component/syntax/ip-address.ts'
import { isMatch, isUri } from '#component/syntax/wamp-uri.ts'
import { at, memberLists } from './membership.ts'
import { info } from './provider-rules.ts'
import {
  anything,
  flag,
  hint,
  isMap,
  listOf,
  map,
  name,
  object,
  oneOrMore,
  orNull,
  type Report,
  type Rule,
  text,
  textThat,
  unused,
} from './realm-rules.ts'

/** What the router and the HTTP face know how to check, at once or with the configuration for it. */
const servedMethods = new Set([
  'anonymous',
  'ticket',
  'wampcra',
  'cryptosign',
  'password',
  'oauth2',
  'oidcrp',
  'cookie',
])

const wampPermissions = new Set([
  'wamp.call',
  'wamp.cancel',
  'wamp.publish',
  'wamp.register',
  'wamp.subscribe',
  'wamp.unregister',
  'wamp.unsubscribe',
  // REGISTER with force_reregister, beside wamp.register
  'wamp.force_register',
])

const method = textThat((value, path, { warnings }) => {
  if (servedMethods.has(value)) return
  warnings.push({
    path,
    message: `this authentication method is not supported${hint(value, servedMethods)}`,
  })
})

const realmUri = textThat((value, path, { issues }) => {
  if (!isUri(value)) issues.push({ path, message: 'expected a WAMP URI' })
})

const authorizedKey = textThat((value, path, { issues }) => {
  const isKey = value.length === 64 && Buffer.from(value, 'hex').length === 32
  if (!isKey) issues.push({ path, message: 'expected an Ed25519 public key: 64 hex digits' })
})

const cidr = textThat((value, path, { issues }) => {
  if (readRange(value) === undefined) {
    issues.push({ path, message: 'expected an IP address, or address/prefix' })
  }
})

const permission = textThat((value, path, { warnings }) => {
  if (!value.startsWith('wamp.') || wampPermissions.has(value)) return
  warnings.push({ path, message: `unknown permission${hint(value, wampPermissions)}` })
})

const match = textThat((value, path, { issues }) => {
  if (!isMatch(value)) issues.push({ path, message: 'expected exact, prefix or wildcard' })
})

const reservedRole = 'gateway'

/** Nobody but the gateway itself has its role, whatever a document says. */
const roleName: Rule = (value, path, report) => {
  name(value, path, report)
  if (value !== reservedRole) return
  const message = 'the role gateway is reserved for the gateway and is never given to users'
  report.warnings.push({ path, message })
}

const userKeys = {
  groups: listOf(roleName),
  meta: map,
  enabled: flag,
  sso_realm_uri: unused,
  description: text,
}

const user = object(
  {
    username: roleName,
    password: orNull(name),
    authorized_keys: listOf(authorizedKey),
    ...userKeys,
  },
  ['username'],
)
const client = object({ client_id: roleName, client_secret: orNull(name), ...userKeys }, [
  'client_id',
])
const group = object({ name: roleName, groups: listOf(name), meta: map, description: text }, [
  'name',
])
const source = object(
  { usernames: oneOrMore(name), authmethod: method, cidr, meta: map, description: text },
  ['usernames', 'authmethod', 'cidr'],
)

const hasTarget: Rule = (value, path, { issues }) => {
  if (!isMap(value) || Object.hasOwn(value, 'uri') || Object.hasOwn(value, 'resources')) return
  issues.push({ path, message: 'expected uri (and match), or resources' })
}

const grant = object(
  {
    permissions: oneOrMore(permission),
    roles: oneOrMore(name),
    uri: text,
    match,
    resources: listOf(object({ uri: text, match }, ['uri'])),
    meta: map,
    description: text,
  },
  ['permissions', 'roles'],
  hasTarget,
)

const realm = object(
  {
    uri: realmUri,
    description: text,
    authmethods: listOf(method),
    security_enabled: flag,
    allow_connections: flag,
    prototype_uri: realmUri,
    is_prototype: flag,
    users: listOf(user),
    groups: listOf(group),
    sources: listOf(source),
    grants: listOf(grant),
    info,
    oauth2: object({ clients: listOf(client), resource_owners: listOf(user) }, []),
    private_keys: unused,
    public_keys: unused,
    sso_realm_uri: unused,
    is_sso_realm: unused,
    ts: anything, // management answers carry it, and may be sent back
  },
  ['uri'],
)

/** Users, clients and resource owners are one set of users. */
function findDuplicateUsers(document: unknown, path: string, { issues }: Report): void {
  const seen = new Map<unknown, string>()
  for (const { keys, name: nameKey } of memberLists) {
    const members = at(document, keys)
    if (!Array.isArray(members)) continue
    for (const [index, member] of members.entries()) {
      const found = at(member, [nameKey])
      const place = pointer(path, ...keys, index, nameKey)
      const first = seen.get(found)
      if (first !== undefined && found !== undefined) {
        issues.push({ path: place, message: `another user has this name: ${first}` })
      } else seen.set(found, place)
    }
  }
}

/**
 * Judges one realm document whose environment has been filled in.
 * @param path JSON Pointer of the document in what was loaded
 */
export function validateRealm(document: unknown, path: string, report: Report): void {
  realm(document, path, report)
  findDuplicateUsers(document, path, report)
}
