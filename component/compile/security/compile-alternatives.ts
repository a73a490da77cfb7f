/** Compiles `{"any": […]}` and `{"all": […]}` of `security`. */
import { canonicalJson } from '#component/codec/json.ts'
import { nameOf } from '#component/security/decided.ts'
import type { Alternative, Alternatives, Protection } from '#component/security/scheme.ts'
import { severalKind, severalType } from '#component/security/several-kind.ts'
import type { VersionCors } from '#component/spec/model.ts'
import { networksOf } from '#component/syntax/ip-address.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

/** The version that a path is of. */
export interface OfVersion {
  readonly api: string
  readonly label: string
  readonly cors?: VersionCors | undefined
}

/** Whether the value of `security` is one of alternatives. */
export const hasAlternatives = (object: JsonMap): boolean =>
  Object.hasOwn(object, 'any') || Object.hasOwn(object, 'all')

/** The objects of each alternative. */
function alternativesIn({ any, all }: JsonMap): readonly (readonly unknown[])[] {
  if (any === undefined) return [Array.isArray(all) ? all : [all]]
  return [any]
    .flat()
    .map((one: unknown) => (isMap(one) && Array.isArray(one.all) ? one.all : [one]))
}

type Members = Alternative['members']

/** What a member is judged by, without what only names it, and the scopes. */
const judgedBy = ({
  object: { name: _name, description: _told, scopes: _scopes, ...rest },
}: Protection) => rest

const keyOf = (members: Members): string => canonicalJson(members.map(judgedBy))

/** The networks of the members. Validation has reported a value that is not a list; no network is in it. */
function allowFromOf(members: Members): Alternative['allowFrom'] {
  const lists = members.flatMap(({ object: { allow_from } }) => {
    if (allow_from === undefined) return []
    const texts = Array.isArray(allow_from) ? allow_from : []
    return [networksOf(texts.filter((one) => typeof one === 'string'))]
  })
  return lists.length > 0 ? lists : undefined
}

const indexes = (members: Members): readonly number[] =>
  members
    .map(({ kind }, index) => ({ cost: kind.cost, index }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ index }) => index)

const isUnasked = (members: Members): boolean =>
  members.some(({ kind }) => kind.isSentUnasked) &&
  members.every(({ kind }) => kind.isSentUnasked || kind.isAlwaysAsked)

/** The fields that hold credentials, as `Vary` names them: an answer to an anonymous request is not for a request with credentials. */
function fieldsOf(members: readonly Protection[]): string {
  const hasLogin = members.some(({ kind }) => kind.hasLogin)
  const headers = members.flatMap(({ kind, object }) => kind.secretHeader?.(object) ?? [])
  const others = headers.filter((name) => name !== 'authorization')
  return [...new Set(['Authorization', ...(hasLogin ? ['Cookie'] : []), ...others])].join(', ')
}

/** Origins that pages may be of; `*` stands for no credentials (Fetch standard, CORS protocol and credentials). */
const originsOf = (cors: VersionCors | undefined): readonly string[] | undefined =>
  cors && [cors.origins].flat().filter((one) => one !== '*')

/** @param protect compiles one object */
export function compileAlternatives(
  object: JsonMap,
  protect: (object: unknown) => Protection,
  version: OfVersion,
): Protection {
  const types = new Set<string>()
  const memberOf = (value: unknown): Protection => {
    const member = protect(value)
    const isFirst = !types.has(member.type)
    types.add(member.type)
    return { ...member, among: { isFirst } }
  }
  const byKey = new Map<string, Alternative[]>()
  // validation has reported alternatives without members; they let no request pass
  const found = alternativesIn(object).filter(({ length }) => length > 0)
  if (found.length === 0) return protect(undefined)
  const all = found.map((objects): Alternative => {
    const members = objects.map(memberOf) as unknown as Members
    const key = keyOf(members)
    const judgedWith = byKey.get(key) ?? []
    byKey.set(key, judgedWith)
    const one: Alternative = {
      ...{ members, judgedWith, order: indexes(members), allowFrom: allowFromOf(members) },
      via: members.map(nameOf).join('+'),
      isSentUnasked: isUnasked(members),
    }
    judgedWith.push(one)
    return one
  })
  const members = all.flatMap((one) => one.members)
  const wantsAlone = all.some((one) => one.members.every(({ kind }) => kind.needsCertificate))
  const alternatives: Alternatives = {
    ...{ all, members, version: { api: version.api, label: version.label } },
    isOptional: object.optional === true,
    counted: members.filter(
      ({ kind }) => !kind.isAlwaysAsked && (wantsAlone || !kind.needsCertificate),
    ),
    wantsCertificate: members.some(({ kind }) => kind.needsCertificate),
    hasLogin: members.some(({ kind }) => kind.hasLogin),
    fields: fieldsOf(members),
    origins: originsOf(version.cors),
  }
  const { realm_uri, api, limits } = protect(undefined)
  const kind = severalKind(all, members)
  return { ...{ type: severalType, kind, realm_uri, api, object, limits }, alternatives }
}
