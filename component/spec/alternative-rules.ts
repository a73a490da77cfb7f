/** The rules of several kinds of credentials on one path: `{"any": […], "optional": true}` and `{"all": […]}` of `security`. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { nobodysName } from '#component/security/decided.ts'
import { type KnownKind, kindOf } from '#component/security/kinds.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { hintOf, type Report } from './report.ts'
import {
  boolean,
  described,
  isExpression,
  type JsonSchema,
  listOf,
  type Rule,
  rule,
  text,
} from './rules.ts'

/** At most this many alternatives of a path, and this many kinds of credentials of an alternative. */
const [mostAlternatives, mostMembers] = [32, 4]

/** As OpenAPI names its components (OpenAPI 3.1 §4.8.7.2). */
const nameToken = /^[\w.-]{1,64}$/

/** What expressions, the log, metrics and OpenAPI call a security object. */
export const alternativeName: Rule = text('a name', (value) => {
  if (value === nobodysName) return 'requests without credentials are called so'
  return nameToken.test(value) ? undefined : 'it has 1 to 64 letters, digits, ".", "_" and "-"'
})

const quoted = (name: string): string => JSON.stringify(name)

/** A kind of credentials that is asked for, as far as its type is known. */
interface Member {
  readonly object: JsonMap
  readonly kind: KnownKind
  readonly name: string
}

interface Alternative {
  readonly at: string
  readonly via: string
  readonly members: readonly Member[]
}

function memberOf(object: unknown): Member | undefined {
  const kind = isMap(object) ? kindOf(object.type) : undefined
  if (kind === undefined || !isMap(object)) return undefined
  return { object, kind, name: typeof object.name === 'string' ? object.name : kind.type }
}

/** undefined: something of it is not known, or is reported. */
function alternativeOf(value: unknown, at: string): Alternative | undefined {
  const objects: readonly unknown[] = isMap(value) && Array.isArray(value.all) ? value.all : [value]
  const members = objects.map(memberOf).filter((one) => one !== undefined)
  if (members.length < objects.length || members.length === 0) return undefined
  return { at, via: members.map(({ name }) => name).join('+'), members }
}

/** What of a member decides whom it lets pass. */
const keyOf = ({
  object: { name: _name, description: _told, comment: _comment, ...rest },
}: Member) => canonicalJson(rest)

function checkMembers({ at, members }: Alternative, report: Report): void {
  const inField = members.filter(({ kind, object }) => kind.inAuthorization?.(object))
  if (inField.length < 2) return
  report.issue(at, 'Authorization holds one credential, "all" asks for two in it')
}

/** Whether all of an alternative is there of every request. */
const isAlways = ({ members }: Alternative): boolean =>
  members.every(({ kind }) => kind.isAlwaysAsked)

const isLogin = ({ members }: Alternative): boolean => members.some(({ kind }) => kind.hasLogin)

/** What makes two alternatives one judgement: all but their scopes. */
const judgementOf = ({ members }: Alternative): string =>
  canonicalJson(members.map(({ object: { scopes: _scopes, description: _told, ...rest } }) => rest))

/** Alternatives that differ in scopes alone may share a name. */
function checkNames(all: readonly Alternative[], report: Report): void {
  const named = new Map<string, Alternative[]>()
  for (const one of all) {
    const { via, at } = one
    const others = named.get(via) ?? []
    named.set(via, [...others, one])
    const isSame = (other: Alternative): boolean =>
      judgementOf(one) === judgementOf(other) &&
      canonicalJson(one.members.map(keyOf)) !== canonicalJson(other.members.map(keyOf))
    if (!others.every(isSame)) {
      report.issue(at, `two alternatives are called ${quoted(via)}: give them a "name"`)
    }
  }
}

function checkReach(
  all: readonly Alternative[],
  isOptional: boolean,
  at: string,
  report: Report,
): void {
  const index = all.findIndex(isAlways)
  const last = all[index]
  if (last === undefined) return
  const [next] = all.slice(index + 1)
  if (next) {
    report.issue(next.at, `behind ${last.via} ${quoted(next.via)} is never asked`)
  }
  if (isOptional) report.issue(pointer(at, 'optional'), `with ${last.via} nobody is anonymous`)
}

/** Warns of alternatives that protect nothing, or that nobody reaches. */
function warnOf(all: readonly Alternative[], report: Report): void {
  const keys = all.map(({ members }) => new Set(members.map(keyOf)))
  all.forEach((more, index) => {
    const asked = keys[index] ?? new Set()
    const less = keys.findIndex(
      (some) => some.size < asked.size && [...some].every((key) => asked.has(key)),
    )
    const weaker = all[less]
    if (weaker === undefined) return
    const message = `${quoted(weaker.via)} alone passes: ${quoted(more.via)} protects nothing more`
    report.warn(more.at, message)
  })
  const shown = all.findIndex(({ members }) => members.every(({ kind }) => kind.needsCertificate))
  const hidden = shown < 0 ? undefined : all.slice(shown + 1).find(isLogin)
  const { via = '', at = '' } = all[shown] ?? {}
  if (hidden === undefined) return
  report.warn(
    at,
    `browsers with a certificate never reach ${quoted(hidden.via)}: put ${quoted(via)} behind it`,
  )
}

const closedSchema = (properties: JsonSchema, required: string): JsonSchema => ({
  type: 'object',
  properties,
  patternProperties: { '^comment$': {} },
  required: [required],
  additionalProperties: false,
})

function checkKeys(value: JsonMap, path: string, known: readonly string[], report: Report): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key) || key === 'comment') continue
    const hint = hintOf(key.toLowerCase(), known)
    report.issue(
      pointer(path, key),
      `beside ${quoted(known[0] ?? '')} there is no ${quoted(key)}${hint}`,
    )
  }
}

const counted = (value: readonly unknown[], least: number, most: number): boolean =>
  value.length >= least && value.length <= most

/** @param object the rule of one security object */
export function alternativeRules(object: Rule): { readonly any: Rule; readonly all: Rule } {
  const written = (value: unknown, path: string, report: Report): void => {
    if (isMap(value) && Object.hasOwn(value, 'any')) {
      report.issue(path, '"any" cannot stand in "all": write the alternatives out')
      return
    }
    if (isMap(value) && Object.hasOwn(value, 'all')) {
      report.issue(path, '"all" cannot stand in "all": write its objects into the outer one')
      return
    }
    object(value, path, report)
  }
  const members = described(
    listOf(rule(object.schema, written), 'a list of security objects'),
    'What a request must bring, all of it: the first object is the user, the others are proofs.',
  )
  const checkAll = (value: JsonMap, path: string, report: Report): void => {
    checkKeys(value, path, ['all'], report)
    const at = pointer(path, 'all')
    const { all } = value
    if (isExpression(all)) return
    if (!Array.isArray(all)) {
      report.expected(at, 'a list of security objects', all)
      return
    }
    if (!counted(all, 2, mostMembers)) {
      report.issue(at, `all: expected 2 to ${mostMembers} objects, got ${all.length}`)
      return
    }
    members(all, at, report)
    const one = alternativeOf(value, path)
    if (one) checkMembers(one, report)
  }
  const all = rule(
    closedSchema({ all: { ...members.schema, minItems: 2, maxItems: mostMembers } }, 'all'),
    (value, path, report) => checkAll(value as JsonMap, path, report),
  )
  const alternative = rule({ anyOf: [object.schema, all.schema] }, (value, path, report) => {
    if (isExpression(value)) return
    if (isMap(value) && Object.hasOwn(value, 'all')) checkAll(value, path, report)
    else if (isMap(value) && Object.hasOwn(value, 'any')) {
      report.issue(path, '"any" cannot stand in "any": write the alternatives out')
    } else object(value, path, report)
  })
  const alternatives = described(
    listOf(alternative, 'a list of security objects'),
    'Alternatives, in the order in which they are looked for: the first one whose credentials are all there decides.',
  )
  const optional = described(
    boolean,
    'Whether a request without any credentials passes, too, as `anonymous`.',
    { default: false },
  )
  const any = rule(
    closedSchema(
      { any: { ...alternatives.schema, maxItems: mostAlternatives }, optional: optional.schema },
      'any',
    ),
    (value, path, report) => {
      const map = value as JsonMap
      checkKeys(map, path, ['any', 'optional'], report)
      const isOptional = map.optional === true
      if (map.optional !== undefined) optional(map.optional, pointer(path, 'optional'), report)
      const at = pointer(path, 'any')
      const found = map.any
      if (isExpression(found)) return
      if (!Array.isArray(found)) return report.expected(at, 'a list of security objects', found)
      if (!counted(found, 1, mostAlternatives)) {
        const message = `any: expected 1 to ${mostAlternatives} alternatives, got ${found.length}`
        report.issue(at, message)
        return
      }
      alternatives(found, at, report)
      const known = found.map((one: unknown, index) =>
        alternativeOf(one, pointer(at, String(index))),
      )
      const whole = known.filter((one) => one !== undefined)
      // what is not known yet is judged with all others when it is
      if (whole.length < known.length) return
      checkNames(whole, report)
      checkReach(whole, isOptional, path, report)
      warnOf(whole, report)
    },
  )
  return { any, all }
}
