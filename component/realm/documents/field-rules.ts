/** The rules of single values in a realm document: names, authentication methods, permissions, keys and networks. */
import { hintOf } from '#component/spec/report.ts'
import {
  type JsonSchema,
  listOf,
  must,
  oneOf,
  type Rule,
  rule,
  string,
} from '#component/spec/rules.ts'
import { isUri } from '#component/syntax/wamp-uri.ts'

/** The methods of the router and of HTTP, some of which need configuration beside the realm document. */
const servedMethods = [
  'anonymous',
  'ticket',
  'wampcra',
  'cryptosign',
  'password',
  'oauth2',
  'oidcrp',
  'jwt',
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

export const name = must('a non-empty string', (value) => isText(value) && value !== '', {
  type: 'string',
  minLength: 1,
})

/** A list, which may be empty. */
export const listOfAny = (member: Rule): Rule => listOf(member, 'a list', 0)

/** A key of other programs: kept, and warned about. */
export const unused: Rule = rule(
  { deprecated: true, description: 'Of other programs: stored, but not used. A load warns of it.' },
  (_value, path, report) => {
    report.warn(path, 'this key is stored but not used')
  },
)

/** `null`, or a value under a rule. */
export const orNull = (known: Rule): Rule =>
  rule({ anyOf: [known.schema, { type: 'null' }] }, (value, path, report) => {
    if (value !== null) known(value, path, report)
  })

/** One value, or a list of values, each under one rule. */
export function oneOrMore(one: Rule): Rule {
  const many = listOfAny(one)
  return rule({ anyOf: [one.schema, many.schema] }, (value, path, report) =>
    (Array.isArray(value) ? many : one)(value, path, report),
  )
}

/** Any text; editors offer those that have a meaning. */
const offered = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: words }, { type: 'string' }],
})

export const method: Rule = rule(offered(servedMethods), (value, path, report) => {
  if (!isText(value)) return string(value, path, report)
  if (servedMethods.includes(value)) return
  const hint = hintOf(value, servedMethods)
  report.warn(path, `this authentication method is not supported${hint}`)
})

/** Those that the gateway asks for. Other services may read other ones from the same document. */
const askedPermissions = [...wampPermissions, 'service.issue']

const permissionSchema: JsonSchema = {
  anyOf: [{ enum: askedPermissions }, { type: 'string', pattern: '^(?!wamp\\.)' }],
}

export const permission: Rule = rule(permissionSchema, (value, path, report) => {
  if (!isText(value)) return string(value, path, report)
  if (askedPermissions.includes(value)) return
  if (value.startsWith('wamp.')) {
    const hint = hintOf(value, wampPermissions) || `: expected ${wampPermissions.join(', ')}`
    return report.issue(path, `WAMP has no such permission${hint}`)
  }
  const whole = `wamp.${value}`
  const hint = hintOf(wampPermissions.includes(whole) ? whole : value, askedPermissions)
  if (hint !== '') report.warn(path, `the gateway does not ask for this permission${hint}`)
})

export const realmUri = must('a WAMP URI', (value) => isText(value) && isUri(value), {
  type: 'string',
})

export const authorizedKey = must(
  'an Ed25519 public key of 64 hex digits',
  (value) => isText(value) && value.length === 64 && Buffer.from(value, 'hex').length === 32,
  // a text of an environment variable, too, whose name is not known to be one
  { type: 'string' },
)

export const match = oneOf(['exact', 'prefix', 'wildcard'])

/** The role `gateway` is never given to users, whatever a document says. */
export const roleName: Rule = rule(name.schema, (value, path, report) => {
  name(value, path, report)
  if (value !== 'gateway') return
  report.warn(path, 'the role gateway is reserved for the gateway and is never given to users')
})
