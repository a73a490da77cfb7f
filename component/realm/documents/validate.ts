/** Validates a realm document: every issue and warning with its JSON Pointer (behaviour: Realms). */
import { pointer } from '#component/codec/json.ts'
import { hintOf, type Report } from '#component/spec/report.ts'
import {
  anything,
  boolean,
  type JsonSchema,
  listOf,
  map,
  must,
  object,
  oneOf,
  type Rule,
  rule,
  string,
} from '#component/spec/rules.ts'
import { readRange } from '#component/syntax/ip-address.ts'
import { isMap } from '#component/syntax/values.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'
import { at, memberLists } from './membership.ts'
import { info } from './provider-rules.ts'

/** The methods of the router and of HTTP, some of which need configuration beside the realm document. */
const servedMethods = [
  'anonymous',
  'ticket',
  'wampcra',
  'cryptosign',
  'password',
  'oauth2',
  'oidcrp',
  'cookie',
]

const wampPermissions = [
  'wamp.call',
  'wamp.cancel',
  'wamp.publish',
  'wamp.register',
  'wamp.subscribe',
  'wamp.unregister',
  'wamp.unsubscribe',
  // REGISTER with force_reregister, beside wamp.register
  'wamp.force_register',
]

const isText = (value: unknown): value is string => typeof value === 'string'

const name = must('a non-empty string', (value) => isText(value) && value !== '', {
  type: 'string',
  minLength: 1,
})
const listOfAny = (member: Rule): Rule => listOf(member, 'a list', 0)

const unused: Rule = rule({ deprecated: true }, (_value, path, report) => {
  report.warn(path, 'this key is stored but not used')
})

/** `null`, or a value under a rule. */
const orNull = (known: Rule): Rule =>
  rule({ anyOf: [known.schema, { type: 'null' }] }, (value, path, report) => {
    if (value !== null) known(value, path, report)
  })

/** One value, or a list of values, each under one rule. */
function oneOrMore(one: Rule): Rule {
  const many = listOfAny(one)
  return rule({ anyOf: [one.schema, many.schema] }, (value, path, report) =>
    (Array.isArray(value) ? many : one)(value, path, report),
  )
}

/** Any text; editors offer those that have a meaning. */
const offered = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: words }, { type: 'string' }],
})

const method: Rule = rule(offered(servedMethods), (value, path, report) => {
  if (!isText(value)) return string(value, path, report)
  if (servedMethods.includes(value)) return
  const hint = hintOf(value, servedMethods)
  report.warn(path, `this authentication method is not supported${hint}`)
})

const permission: Rule = rule(offered(wampPermissions), (value, path, report) => {
  if (!isText(value)) return string(value, path, report)
  if (!value.startsWith('wamp.') || wampPermissions.includes(value)) return
  report.warn(path, `unknown permission${hintOf(value, wampPermissions)}`)
})

const realmUri = must('a WAMP URI', (value) => isText(value) && isUri(value), { type: 'string' })

const authorizedKey = must(
  'an Ed25519 public key of 64 hex digits',
  (value) => isText(value) && value.length === 64 && Buffer.from(value, 'hex').length === 32,
  // a text of an environment variable, too, whose name is not known to be one
  { type: 'string' },
)

const cidr = must(
  'an IP address or address/prefix',
  (value) => isText(value) && readRange(value) !== undefined,
  { type: 'string' },
)

const match = oneOf(['exact', 'prefix', 'wildcard'])

/** The role `gateway` is never given to users, whatever a document says. */
const roleName: Rule = rule(name.schema, (value, path, report) => {
  name(value, path, report)
  if (value !== 'gateway') return
  report.warn(path, 'the role gateway is reserved for the gateway and is never given to users')
})

const userKeys = {
  groups: listOfAny(roleName),
  meta: map,
  enabled: boolean,
  sso_realm_uri: unused,
  description: string,
}

const user = object('a user', {
  keys: {
    username: roleName,
    password: orNull(name),
    authorized_keys: listOfAny(authorizedKey),
    ...userKeys,
  },
  required: { username: 'a name' },
})

const client = object('a client', {
  keys: { client_id: roleName, client_secret: orNull(name), ...userKeys },
  required: { client_id: 'a name' },
})

const group = object('a group', {
  keys: { name: roleName, groups: listOfAny(name), meta: map, description: string },
  required: { name: 'a name' },
})

const source = object('a source', {
  keys: { usernames: oneOrMore(name), authmethod: method, cidr, meta: map, description: string },
  required: {
    usernames: 'a name or a list of names',
    authmethod: 'an authentication method',
    cidr: 'an IP address or address/prefix',
  },
})

const resource = object('a resource', {
  keys: { uri: string, match },
  required: { uri: 'a URI' },
})

const grantKeys = object('a grant', {
  keys: {
    permissions: oneOrMore(permission),
    roles: oneOrMore(name),
    uri: string,
    match,
    resources: listOfAny(resource),
    meta: map,
    description: string,
  },
  required: { permissions: 'a permission or a list of them', roles: 'a role or a list of roles' },
})

const grant: Rule = rule(
  { ...grantKeys.schema, anyOf: [{ required: ['uri'] }, { required: ['resources'] }] },
  (value, path, report) => {
    grantKeys(value, path, report)
    if (!isMap(value) || Object.hasOwn(value, 'uri') || Object.hasOwn(value, 'resources')) return
    report.issue(path, 'expected uri (and match), or resources')
  },
)

const realm = object('a realm document', {
  keys: {
    uri: realmUri,
    description: string,
    authmethods: listOfAny(method),
    security_enabled: boolean,
    allow_connections: boolean,
    prototype_uri: realmUri,
    is_prototype: boolean,
    users: listOfAny(user),
    groups: listOfAny(group),
    sources: listOfAny(source),
    grants: listOfAny(grant),
    info,
    oauth2: object('a map', {
      keys: { clients: listOfAny(client), resource_owners: listOfAny(user) },
    }),
    private_keys: unused,
    public_keys: unused,
    sso_realm_uri: unused,
    is_sso_realm: unused,
    ts: anything, // answers of the management API contain it, and may be loaded again
    $schema: anything, // for editors
  },
  required: { uri: 'a WAMP URI' },
})

/** The JSON Schema of what a load takes: a realm document, or a list of them. */
export const realmSchema: JsonSchema = {
  anyOf: [realm.schema, { type: 'array', items: realm.schema }],
}

/** Users, clients and resource owners are one set of users. */
function findDuplicateUsers(document: unknown, path: string, report: Report): void {
  const seen = new Map<unknown, string>()
  for (const { keys, name: nameKey } of memberLists) {
    const members = at(document, keys)
    if (!Array.isArray(members)) continue
    for (const [index, member] of members.entries()) {
      const found = at(member, [nameKey])
      const place = pointer(path, ...keys, index, nameKey)
      const first = seen.get(found)
      if (first === undefined) seen.set(found, place)
      else if (found !== undefined) report.issue(place, `another user has this name: ${first}`)
    }
  }
}

/**
 * Validates one realm document whose environment is filled in.
 * @param path JSON Pointer of the document in the loaded JSON
 */
export function validateRealm(document: unknown, path: string, report: Report): void {
  realm(document, path, report)
  findDuplicateUsers(document, path, report)
}
