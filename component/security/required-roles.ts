/** The roles that an operation asks for, in OpenAPI: `x-required-roles`, and a sentence for people. */
import { isDeepStrictEqual } from 'node:util'
import type { Protection } from './scheme.ts'

/** Of an operation: a list of roles, of which a user must have one. */
export const rolesKey = 'x-required-roles'

/** In the order of names; undefined: every user may ask. */
export function requiredRoles(protection: Protection | undefined): readonly string[] | undefined {
  if (protection === undefined) return undefined
  const users = protection.alternatives?.all.map(({ members: [user] }) => user) ?? [protection]
  const asked = users.map(({ demand }) => demand?.roles && [...demand.roles].sort())
  const [roles] = asked
  // what holds for some alternatives only is none of the operation
  return asked.every((some) => isDeepStrictEqual(some, roles)) ? roles : undefined
}

const sentence = (roles: readonly string[]): string =>
  `Only for users with ${roles.length > 1 ? 'one of the roles' : 'the role'} ${roles.join(', ')}.`

/** The description of an operation, and the sentence as its last paragraph. */
export const withRoles = (description: string | undefined, roles: readonly string[]): string =>
  [description, sentence(roles)].filter((part) => part !== undefined).join('\n\n')

/** The description without the sentence; undefined: nothing is left. */
export function withoutRoles(description: string, roles: readonly string[]): string | undefined {
  const last = sentence(roles)
  if (!description.endsWith(last)) return description
  const rest = description.slice(0, -last.length).trimEnd()
  return rest === '' ? undefined : rest
}
