/** The scopes of a realm document: which roles have them; and the words that a client may put into its tokens. */
import { pointer } from '#component/codec/json.ts'
import { describe, type Report } from '#component/spec/report.ts'
import { described, listOf, object, type Rule, rule, string } from '#component/spec/rules.ts'
import { isScopeToken } from '#component/syntax/scope-token.ts'
import { isMap } from '#component/syntax/values.ts'
import { roleName } from './field-rules.ts'
import { at, maps, memberLists, nameOf } from './membership.ts'

/** Names in a realm at most. */
const mostScopes = 500

const scope = described(
  object('a scope', {
    keys: {
      roles: described(
        listOf(roleName, 'a list of roles'),
        'Users with one of these roles hold the scope.',
        { examples: [['readers', 'staff']] },
      ),
      description: described(string, 'A text for people: it stands in OpenAPI descriptions.'),
    },
    required: { roles: 'the roles whose users hold the scope' },
    isClosed: true,
  }),
  'A scope of access tokens.',
  { title: 'Scope' },
)

const nameProblem = 'expected a name of printable ASCII without blanks, quotes and backslashes'

/** `scopes` of a realm. */
export const scopes: Rule = rule(
  {
    type: 'object',
    maxProperties: mostScopes,
    propertyNames: { pattern: '^[!#-\\[\\]-~]+$' },
    additionalProperties: scope.schema,
  },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of names to scopes', value)
    const entries = Object.entries(value)
    if (entries.length > mostScopes) {
      report.issue(path, `expected at most ${mostScopes} scopes, got ${entries.length}`)
    }
    for (const [name, one] of entries) {
      const place = pointer(path, name)
      if (isScopeToken(name)) scope(one, place, report)
      else report.issue(place, nameProblem)
    }
  },
)

/** The names that a document uses as roles. */
function roleNames(document: unknown): Set<string> {
  const names: unknown[] = ['anonymous', 'all']
  const groups = maps(at(document, ['groups']))
  for (const { name, groups: outer } of groups) names.push(name, outer)
  for (const { keys, name, group } of memberLists) {
    if (group !== undefined) names.push(group)
    for (const member of maps(at(document, keys))) names.push(member[name], member.groups)
  }
  for (const { roles } of maps(at(document, ['grants']))) names.push(roles)
  const texts = names.flat().filter((name) => typeof name === 'string')
  return new Set(texts.map(nameOf))
}

/** A word of a token is a role or a scope, and never both. */
export function findScopesLikeRoles(document: unknown, path: string, report: Report): void {
  const declared = at(document, ['scopes'])
  if (!isMap(declared)) return
  const roles = roleNames(document)
  for (const name of Object.keys(declared)) {
    if (!roles.has(name)) continue
    report.issue(
      pointer(path, 'scopes', name),
      `${describe(name)} is a role: expected another name`,
    )
  }
}
