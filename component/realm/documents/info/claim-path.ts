/** Paths to claims in realm documents: `realm_access.roles`, `resource_access."com.example.app".roles`, or a list of names. */
import { type Rule, rule } from '#component/spec/rules.ts'

/** A claim, or a path that walks maps to one. */
export type ClaimPath = string | readonly string[]

/** One name of a text, and the dot after it: a JSON string, or anything without a dot that does not begin like one. */
const part = /("(?:[^"\\]|\\.)*"|(?!")[^.]*)(\.|$)/y

/** The names of a text; undefined for one whose quotes are not a JSON string between dots. */
function parse(text: string): readonly string[] | undefined {
  const names: string[] = []
  part.lastIndex = 0
  for (;;) {
    const [, name = '', end] = part.exec(text) ?? []
    if (end === undefined) return undefined
    try {
      names.push(name.startsWith('"') ? String(JSON.parse(name)) : name)
    } catch {
      return undefined
    }
    if (end === '') return names
  }
}

/** The names of a path, of which the first one is a claim; none for a malformed text. */
export const namesOf = (path: ClaimPath): readonly string[] =>
  typeof path === 'string' ? (parse(path) ?? []) : path

/** The path as one text. */
export const pathText = (path: ClaimPath): string =>
  typeof path === 'string' ? path : JSON.stringify(path)

/** Whether the path is that of a single claim. */
export const isPathOf = (path: ClaimPath, name: string): boolean => {
  const [first, ...rest] = namesOf(path)
  return first === name && rest.length === 0
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The paths that are allowed, in words. */
export const allowedPaths =
  'a claim, a path with dots (names with dots in double quotes), or a list of names'

export const isClaimPath = (value: unknown): value is ClaimPath =>
  Array.isArray(value)
    ? value.length > 0 && value.every(isName)
    : isName(value) && parse(value) !== undefined

/** The rule of a path. */
export const claimPath: Rule = rule(
  {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    ],
  },
  (value, path, report) => {
    if (!isClaimPath(value)) report.expected(path, allowedPaths, value)
  },
)
