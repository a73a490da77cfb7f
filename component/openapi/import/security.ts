/** Security requirements of OpenAPI as security objects; what has no equal is closed, never open. */
import { pointer } from '#component/codec/json.ts'
import { kindOf, securityKinds } from '#component/security/kinds.ts'
import { rolesKey } from '#component/security/required-roles.ts'
import { fixedPathProblem } from '#component/spec/syntax.ts'
import { isScopeToken } from '#component/syntax/scope-token.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import { mapped } from './origins.ts'
import type { Place, Source } from './source.ts'

/** OAuth2 flows by their names in OpenAPI. */
const flows: Readonly<Record<string, string>> = {
  clientCredentials: 'client_credentials',
  password: 'resource_owner_password_credentials',
  authorizationCode: 'authorization_code',
  implicit: 'implicit',
}

/** Where an API gives tokens that does not say so (specification: security). */
const usualTokenPath = '/oauth/token'

/** A request needs an API key that nobody has before somebody issues one. */
const closed: JsonMap = { type: 'api_key' }

/** Turns the key `security` of the document or of an operation into a security object. */
export class Security {
  readonly #source: Source
  /** Where the paths of the API begin, without a slash at the end. */
  readonly #basePath: string
  readonly #known = new Map<string, JsonMap>()
  /** Security by the path of its tokens. */
  readonly #flows = new Map<unknown, JsonMap>()
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
    return mapped({ ...(isOpen ? closed : object), roles }, at)
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
    const named = security.filter((each) => isMap(each) && Object.keys(each).length > 0)
    if (named.length === 0) return {}
    if (named.length < security.length)
      losses.tell(at, 'credentials may be left out there; here they are required')
    if (named.length > 1) losses.tell(at, 'an operation has one security object: the first')
    const [name = '', ...others] = Object.keys(named[0])
    if (others.length > 0)
      losses.tell(at, `one kind of credentials is asked for: ${name}, without ${others.join(', ')}`)
    return this.#withScopes(this.#scheme(name, at), name, named[0][name], at)
  }

  /** What the requirement names beside its scheme: scopes, or roles of a scheme without scopes. */
  #withScopes(security: JsonMap, name: string, listed: unknown, at: string): JsonMap {
    if (!Array.isArray(listed) || listed.length === 0) return security
    const isKnown = Object.hasOwn(kindOf(security.type)?.keys ?? {}, 'scopes')
    if (isKnown && listed.every((one) => typeof one === 'string' && isScopeToken(one))) {
      const scopes = mapped([...new Set(listed)], at)
      // what is wrong with the rest is wrong with the scheme
      return mapped({ ...security, scopes }, pointer('/components/securitySchemes', name))
    }
    this.#source.losses.tell(at, `the gateway asks for no scopes of ${name}`)
    return security
  }

  #scheme(name: string, at: string): JsonMap {
    const known = this.#known.get(name)
    if (known) return known
    const path = pointer('/components/securitySchemes', name)
    const declared = this.#source.valueAt(path)
    const found = declared === undefined ? undefined : this.#source.follow(declared, path)
    if (!found) this.#source.losses.tell(at, `there is no scheme ${name}: an API key is asked for`)
    // warnings of a load are about the scheme
    const security = found ? this.#ofItsFlow(this.#securityOf(found), found.at) : closed
    this.#known.set(name, security)
    return security
  }

  /** One token path gives the tokens of one flow: that of the scheme that is asked for first. */
  #ofItsFlow(security: JsonMap, at: string): JsonMap {
    const { flow, token_path = usualTokenPath } = security
    const first = flow === undefined ? undefined : this.#flows.get(token_path)
    if (first !== undefined && first.flow !== flow) {
      this.#source.losses.tell(
        at,
        `${String(token_path)} gives the tokens of one flow: here it is ${String(first.flow)}`,
      )
      return first
    }
    const found = mapped({ ...security }, at)
    if (flow !== undefined) this.#flows.set(token_path, found)
    return found
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
