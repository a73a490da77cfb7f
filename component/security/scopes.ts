/** `scopes` of a security object: what a token must allow on the path. */
import { dynamic, listOf, type Rule, text } from '#component/spec/rules.ts'
import { isScopeToken } from '#component/syntax/scope-token.ts'
import type { JsonMap } from '#component/syntax/values.ts'

const none: readonly string[] = []

/** All of them are needed. */
export const scopesOf = ({ scopes = none }: JsonMap): readonly string[] =>
  Array.isArray(scopes) ? scopes : [String(scopes)]

const scope = text('a scope', (value) =>
  isScopeToken(value) ? undefined : 'it has printable ASCII without blanks, quotes and backslashes',
)

/** The rule of the key. */
export const scopes: Rule = dynamic(listOf(dynamic(scope), 'a list of scopes'))
