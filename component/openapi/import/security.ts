/** Security requirements of OpenAPI as security objects; what has no equal is closed, never open. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { nobodysName } from '#component/security/decided.ts'
import { kindOf, securityKinds } from '#component/security/kinds.ts'
import { rolesKey } from '#component/security/required-roles.ts'
import { fixedPathProblem } from '#component/spec/syntax.ts'
import { isScopeToken } from '#component/syntax/scope-token.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { extensionKey } from './extension.ts'
import { mapped } from './origins.ts'
import type { Place, Source } from './source.ts'

/** OAuth2 flows by their names in OpenAPI. */
const flows: Readonly<Record<string, string>> = {
  clientCredentials: 'client_credentials',
  password: 'resource_owner_password_credentials',
  authorizationCode: 'authorization_code',
  implicit: 'implicit',
}

/** Characters; a number may follow. */
const longestName = 60

/** Where an API gives tokens that does not say so (specification: security). */
const usualTokenPath = '/oauth/token'

/** A request needs an API key that nobody has before somebody issues one. */
const closed: JsonMap = { type: 'api_key' }

/** The header of an API key that is asked for beside a token. */
const otherHeader = 'x-api-key'

/** What the import writes into one operation at most: what a load lets pass. */
const [mostAlternatives, mostMembers] = [32, 4]

/** A scheme as a security object. */
interface Known {
  readonly object: JsonMap
  /** Where it is declared. */
  readonly at: string
  /** What alternatives call it; undefined: by its type, or as an export has it. */
  readonly name: string | undefined
}

/** A scheme that a requirement asks for. */
interface Asked extends Known {
  /** Its key in the document. */
  readonly scheme: string
  readonly scopes: readonly string[]
  /** Where it is asked for. */
  readonly place: string
}

/** What credentials are asked for, whatever they are called. */
const credentialOf = ({ object: { name: _name, description: _told, ...rest } }: Known): string =>
  canonicalJson(rest)

const isInAuthorization = ({ object }: Known): boolean =>
  kindOf(object.type)?.inAuthorization?.(object) === true

/** Whether an API key is asked for in the usual header. */
const isMovable = ({ object }: Known): boolean =>
  object.type === closed.type && object.header_name === undefined

const moved = (one: Asked): Asked => ({
  ...one,
  object: { ...one.object, header_name: otherHeader },
})

/** The object as a document writes it. @param isNamed whether it stands among others */
const written = ({ object, at, scopes, name, place }: Asked, isNamed: boolean): JsonMap =>
  mapped(
    {
      ...object,
      ...(isNamed && name !== undefined && { name }),
      ...(scopes.length > 0 && { scopes: mapped([...scopes], place) }),
    },
    at,
  )

/** The same security, where each user has one of the roles. */
function ofRoles(security: JsonMap, roles: readonly unknown[]): JsonMap {
  const { any, all } = security
  if (Array.isArray(any)) return { ...security, any: any.map((one) => ofRoles(one, roles)) }
  if (!Array.isArray(all)) return { ...security, roles }
  const [user, ...proofs] = all
  return { ...security, all: [ofRoles(user, roles), ...proofs] }
}

/** Whether two schemes of a requirement are one credential: one token may have several flows. */
const isOneCredential = (one: Asked, other: Asked): boolean =>
  credentialOf(one) === credentialOf(other) ||
  (one.object.type === other.object.type && isInAuthorization(one) && isInAuthorization(other))

/** @param isOptional whether a request without credentials passes, too */
function writtenTogether(all: readonly (readonly Asked[])[], isOptional: boolean): JsonMap {
  const [first = []] = all
  const [only] = first
  if (only && first.length === 1 && all.length === 1 && !isOptional) return written(only, false)
  const alternatives = all.map((members) => {
    const objects = members.map((one) => written(one, true))
    return objects.length === 1 ? (objects[0] as JsonMap) : { all: objects }
  })
  if (alternatives.length === 1 && !isOptional) return alternatives[0] as JsonMap
  return { any: alternatives, ...(isOptional && { optional: true }) }
}

/** Turns the key `security` of the document or of an operation into a security object. */
export class Security {
  readonly #source: Source
  /** Where the paths of the API begin, without a slash at the end. */
  readonly #basePath: string
  readonly #known = new Map<string, Known>()
  readonly #names = new Set([nobodysName])
  #ofDocument: JsonMap | undefined

  constructor(source: Source, basePath: string) {
    this.#source = source
    this.#basePath = basePath
  }

  /** Of operations that say nothing; undefined: the document says nothing, either. */
  ofDocument(openapi: JsonMap): JsonMap | undefined {
    this.#ofDocument = this.#of({ map: openapi, at: '' })
    return this.#ofDocument
  }

  /** With the roles that the operation names; undefined: it says nothing. */
  ofOperation(place: Place): JsonMap | undefined {
    const own = this.#of(place)
    const { [rolesKey]: roles } = place.map
    if (roles === undefined) return own
    const at = pointer(place.at, rolesKey)
    const { losses } = this.#source
    const isList = Array.isArray(roles) && roles.length > 0
    if (!isList || !roles.every((role) => typeof role === 'string' && role !== '')) {
      losses.tell(at, 'expected a list of roles; an API key is asked for')
      return closed
    }
    const object = own ?? this.#ofDocument ?? {}
    const isOpen = Object.keys(object).length === 0
    if (isOpen) losses.tell(at, 'roles are those of users: an API key is asked for')
    return mapped(ofRoles(isOpen ? closed : object, roles), at)
  }

  /** undefined: the place says nothing. */
  #of(place: Place): JsonMap | undefined {
    const { security } = place.map
    if (security === undefined) return undefined
    const at = pointer(place.at, 'security')
    const { losses } = this.#source
    if (!Array.isArray(security)) {
      losses.tell(at, 'expected a list; an API key is asked for')
      return closed
    }
    const named = security.filter(isMap).filter((each) => Object.keys(each).length > 0)
    if (named.length === 0) return {}
    const asked = new Map<string, readonly Asked[]>()
    for (const each of named) {
      const members = this.#together(each, at)
      const key = canonicalJson(members.map((one) => [credentialOf(one), one.scopes]))
      if (!asked.has(key)) asked.set(key, members)
    }
    const all = [...asked.values()]
    if (all.length > mostAlternatives)
      losses.tell(at, `an operation has at most ${mostAlternatives} alternatives: the first`)
    return writtenTogether(all.slice(0, mostAlternatives), named.length < security.length)
  }

  /** What a request must bring for one requirement: schemes that read one header are one object with the scopes of all. */
  #together(requirement: JsonMap, at: string): readonly Asked[] {
    const asked: Asked[] = []
    for (const [name, wanted] of Object.entries(requirement)) {
      const one = this.#asked(name, wanted, at)
      const same = asked.findIndex((other) => isOneCredential(one, other))
      const other = asked[same]
      if (other) {
        asked[same] = { ...other, scopes: [...new Set([...other.scopes, ...one.scopes])] }
        continue
      }
      const inField = asked.findIndex(isInAuthorization)
      const held = isInAuthorization(one) ? asked[inField] : undefined
      if (held === undefined) asked.push(one)
      else if (isMovable(one)) asked.push(moved(one))
      else if (isMovable(held)) asked.splice(inField, 1, moved(held), one)
      else this.#without(name, at)
    }
    for (const { scheme } of asked.slice(mostMembers)) this.#without(scheme, at)
    return asked.slice(0, mostMembers)
  }

  #without(name: string, at: string): void {
    this.#source.losses.tell(at, `one kind of credentials is asked for, without ${name}`)
  }

  #asked(name: string, wanted: unknown, at: string): Asked {
    const known = this.#scheme(name, at)
    return { ...known, scheme: name, place: at, scopes: this.#scopes(known, name, wanted, at) }
  }

  /** What the requirement names beside its scheme: scopes, or roles of a scheme without scopes. */
  #scopes({ object }: Known, name: string, listed: unknown, at: string): readonly string[] {
    if (!Array.isArray(listed) || listed.length === 0) return []
    const isKnown = Object.hasOwn(kindOf(object.type)?.keys ?? {}, 'scopes')
    if (isKnown && listed.every((one) => typeof one === 'string' && isScopeToken(one))) {
      return [...new Set(listed)]
    }
    this.#source.losses.tell(at, `the gateway asks for no scopes of ${name}`)
    return []
  }

  #scheme(name: string, at: string): Known {
    const known = this.#known.get(name)
    if (known) return known
    const path = pointer('/components/securitySchemes', name)
    const declared = this.#source.valueAt(path)
    const found = declared === undefined ? undefined : this.#source.follow(declared, path)
    if (!found) this.#source.losses.tell(at, `there is no scheme ${name}: an API key is asked for`)
    // warnings of a load are about the scheme
    const scheme = found
      ? this.#declared(name, found)
      : { object: closed, at, name: this.#nameFor(name, closed) }
    this.#known.set(name, scheme)
    return scheme
  }

  /** A name that expressions and metrics can have. */
  #nameFor(name: string, { type }: JsonMap): string | undefined {
    if (name === type) return undefined
    const known = name.replace(/[^\w.-]/g, '_').slice(0, longestName) || 'scheme'
    let free = known
    for (let count = 2; this.#names.has(free); count += 1) free = `${known}_${count}`
    this.#names.add(free)
    return free
  }

  #declared(name: string, place: Place): Known {
    const { map, at } = place
    const exported = map[extensionKey]
    if (isMap(exported) && kindOf(exported.type)) {
      const said = typeof map.description === 'string' ? { description: map.description } : {}
      return { object: { ...exported, ...said }, at, name: undefined }
    }
    const object = this.#securityOf(place)
    return { object, at, name: this.#nameFor(name, object) }
  }

  #securityOf(place: Place): JsonMap {
    const { map, at } = place
    const said = typeof map.description === 'string' ? { description: map.description } : {}
    const tell = (message: string) => this.#source.losses.tell(at, message)
    if (map.type === 'oauth2') return { ...this.#oauth2(place), ...said }
    for (const { type, imported } of securityKinds) {
      const found = imported?.(map)
      if (found === undefined) continue
      if (found.told !== undefined) tell(found.told)
      return { type, ...found.object, ...said }
    }
    tell('the gateway has no such scheme: an API key is asked for in its place')
    return { ...closed, ...said }
  }

  #oauth2({ map, at }: Place): JsonMap {
    const { losses } = this.#source
    const declared = Object.keys(flows).filter((each) => isMap(memberOf(map.flows, each)))
    const [flow = 'clientCredentials', ...others] = declared
    const path = pointer(at, 'flows', flow)
    for (const other of others)
      losses.tell(pointer(at, 'flows', other), `an API has one flow: ${flow}`)
    const found = memberOf(map.flows, flow)
    const scopes = memberOf(found, 'scopes')
    if (isMap(scopes) && Object.keys(scopes).length > 0)
      losses.tell(pointer(path, 'scopes'), 'scopes are declared by the realm: no token has others')
    const url = pointer(path, 'tokenUrl')
    const token_path = this.#below(memberOf(found, 'tokenUrl'), url)
    return { type: 'oauth2', flow: flows[flow], ...(token_path !== undefined && { token_path }) }
  }

  /** The path of a URL below the base path; undefined: the usual one. */
  #below(url: unknown, at: string): string | undefined {
    if (typeof url !== 'string') return undefined
    const path = URL.parse(url, 'http://localhost')?.pathname
    if (!path?.startsWith(`${this.#basePath}/`)) return undefined
    const below = path.slice(this.#basePath.length)
    const problem = fixedPathProblem(below)
    if (problem === undefined) return below
    this.#source.losses.tell(at, `${problem}: tokens are given at ${usualTokenPath}`)
    return undefined
  }
}
