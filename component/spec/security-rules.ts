/** The rules of `security`: how a request proves who asks (specification: Resources and their fields). */
import { demandKeys } from '#component/security/demand.ts'
import { securityKinds } from '#component/security/kinds.ts'
import { isMap } from '#component/syntax/values.ts'
import { alternativeName, alternativeRules } from './alternative-rules.ts'
import { allowFrom, schemes } from './http-rules.ts'
import { dynamic, emptyMap, type Rule, rule, string, variants } from './rules.ts'

const shared = {
  ...{ schemes, allow_from: allowFrom, description: string, name: alternativeName },
  ...demandKeys,
}

/** What of other gateways the keys are. */
const homes: Readonly<Record<string, string>> = {
  groups: 'the groups of a user are its roles: write "roles"',
  users: 'users are named in "authids"',
}

const homeOf = (key: string): string | undefined =>
  Object.hasOwn(homes, key) ? homes[key] : undefined

const securityVariants = variants(
  'a security object',
  Object.fromEntries(
    securityKinds.map(({ type, keys, required }) => [
      type,
      {
        keys: { ...shared, ...keys },
        isClosed: true as const,
        homeOf,
        ...(required && { required }),
      },
    ]),
  ),
)

const alternatives = alternativeRules(dynamic(securityVariants))

/** `{}` is open; any other value must name its type, or its alternatives, so that a mistake never leaves a path open. */
export const security: Rule = dynamic(
  rule(
    {
      anyOf: [securityVariants.schema, emptyMap, alternatives.any.schema, alternatives.all.schema],
    },
    (value, path, report) => {
      if (isMap(value) && Object.keys(value).length === 0) return
      ruleOf(value)(value, path, report)
    },
  ),
)

function ruleOf(value: unknown): Rule {
  if (isMap(value) && Object.hasOwn(value, 'any')) return alternatives.any
  return isMap(value) && Object.hasOwn(value, 'all') ? alternatives.all : securityVariants
}
