/** The protection of an operation as security schemes of OpenAPI. */
import type { Method } from '#component/request.ts'
import { nameOf } from '#component/security/decided.ts'
import { membersOf, type Protection } from '#component/security/scheme.ts'
import type { NamedParts } from './named-parts.ts'

/** The schemes that a request needs together. */
type Requirement = Readonly<Record<string, readonly string[]>>

/** Alternatives. */
export type Requirements = readonly Requirement[]

/** The headers of secrets, in lower case; schemes without one of their own have none. */
export const secretHeadersOf = (protection: Protection | undefined): readonly string[] =>
  membersOf(protection).flatMap(({ kind, object }) => kind.secretHeader?.(object) ?? [])

/** Where the protection is, and what receives its schemes. */
interface Place {
  readonly method: Method
  /** Of the version: absolute, without a slash at the end. */
  readonly address: string
  /** The scopes of tokens of the gateway that the version asks for, and what people are told of each. */
  readonly scopes: Readonly<Record<string, string>>
  readonly schemes: NamedParts
  /** Whether operators read it: schemes have their objects then, as the document writes them. */
  readonly isInternal: boolean
}

/** The alternatives of one security object. */
function ofObject(protection: Protection, place: Place): Requirements {
  const { kind, object, realm_uri } = protection
  const { schemes, isInternal } = place
  const { scopes: _scopes, description: _told, ...written } = object
  const description =
    typeof object.description === 'string' ? { description: object.description } : {}
  return kind.describe(object, { ...place, realm_uri }).map((uses) =>
    Object.fromEntries(
      uses.map(({ name, scheme, scopes = [] }) => [
        schemes.nameOf(name.replace(kind.type, nameOf(protection)), {
          ...scheme,
          ...description,
          ...(isInternal && { 'x-wamp-gateway': written }),
        }),
        scopes,
      ]),
    ),
  )
}

const together = (one: Requirement, other: Requirement): Requirement => {
  const both = { ...one }
  for (const [name, scopes] of Object.entries(other)) {
    both[name] = [...new Set([...(one[name] ?? []), ...scopes])]
  }
  return both
}

const nothing: Requirement = {}

/** Each alternative with each way of each of its members. */
export function requirementsOf(protection: Protection, place: Place): Requirements {
  const { alternatives } = protection
  if (alternatives === undefined) return ofObject(protection, place)
  const all = alternatives.all.flatMap(({ members }) =>
    members.reduce<Requirements>(
      (ways, member) =>
        ofObject(member, place).flatMap((more) => ways.map((way) => together(way, more))),
      [nothing],
    ),
  )
  return alternatives.isOptional ? [...all, nothing] : all
}
