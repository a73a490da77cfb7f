/** `forward_auth` on a path: another service is asked about each request, as Traefik's ForwardAuth and nginx's auth_request do. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { anonymous, givenRoles, type Identity, identityOf } from '#component/identity.ts'
import { atMost } from '#component/limits/at-most.ts'
import { because } from '#component/login-refusal.ts'
import { issuerOfName } from '#component/realm/documents/info/issuer-rules.ts'
import { gatewayRole, type Logins } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import { type AuthAnswer, PassedAnswer } from '#component/security/passed-answer.ts'
import type {
  AlternativeScheme,
  Protection,
  SecuredRequest,
  SecurityScheme,
} from '#component/security/scheme.ts'
import { isMap } from '#component/syntax/values.ts'

/** Header fields that are sent; lower-case names. */
export type AuthFields = Readonly<Record<string, string>>

/** Asks the services. */
export interface AuthService {
  /**
   * The fields of a request that a service is told.
   * @param names in lower case; undefined: all that may cross a proxy
   */
  fieldsOf(request: SecuredRequest, names: readonly string[] | undefined): AuthFields
  /** Rejects where no valid answer comes in time. @param url as the document names it */
  ask(url: string, fields: AuthFields): Promise<AuthAnswer>
}

/** The dependencies of the scheme. */
export interface ForwardAuthPorts {
  readonly authService: AuthService
  readonly logins: Pick<Logins, 'user'>
  readonly realms: Pick<Realms, 'realm'>
  readonly clock: Pick<Clock, 'now'>
}

/** What a service tells of a user. */
interface Claims {
  /** undefined: nobody in particular. */
  readonly authid: string | undefined
  /** undefined: it is not asked for roles. */
  readonly roles: readonly string[] | undefined
  readonly meta: Readonly<Record<string, string>>
}

/** An answer that is kept. */
interface Kept {
  readonly claims: Promise<Claims>
  /** Milliseconds since the epoch. */
  until: number
}

/** Answers that are kept at most, of all paths together. */
const maxKept = 10_000

/** Redirects that a browser follows; 304 is none. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A name of a user: no control characters, and of bounded length. */
const isName = (text: string): boolean => /^[^\p{Cc}]{1,255}$/u.test(text)

const textsIn = (value: unknown): readonly string[] =>
  [value].flat().filter((one) => typeof one === 'string')

const unavailable = (cause?: unknown): ServiceError => {
  const message = 'the service that decides about the request gives no valid response now'
  return new ServiceError(
    'service.error.unavailable',
    message,
    cause === undefined ? {} : { cause },
  )
}

/** Lets a request pass where the service of its path answers 2xx, as whom it names. */
export class ForwardAuthScheme implements AlternativeScheme {
  readonly #ports: ForwardAuthPorts
  readonly #kept = new LRUCache<string, Kept>(atMost(maxKept))

  constructor(ports: ForwardAuthPorts) {
    this.#ports = ports
  }

  /** The service judges what it is told. */
  readonly isBrought: AlternativeScheme['isBrought'] = () => true

  readonly authenticate: SecurityScheme['authenticate'] = async (request, protection) => {
    const { object } = protection
    const names = Array.isArray(object.request_headers)
      ? textsIn(object.request_headers)
      : undefined
    const lower = names?.map((name) => name.toLowerCase())
    const fields = this.#ports.authService.fieldsOf(request, lower)
    return this.#identity(await this.#claims(fields, protection), protection)
  }

  #claims(fields: AuthFields, protection: Protection): Promise<Claims> {
    const { object, realm_uri } = protection
    const keptMs = typeof object.cache_secs === 'number' ? object.cache_secs * 1000 : 0
    if (keptMs === 0) return this.#ask(fields, protection)
    // one field more is another request; the fields hold secrets
    const key = createHash('sha256')
      .update(JSON.stringify([realm_uri, object, Object.entries(fields).sort()]))
      .digest('base64')
    const known = this.#kept.get(key)
    const { clock } = this.#ports
    if (known && clock.now() < known.until) return known.claims
    const kept: Kept = { claims: this.#ask(fields, protection), until: Number.POSITIVE_INFINITY }
    this.#kept.set(key, kept)
    kept.claims.then(
      () => {
        kept.until = clock.now() + keptMs
      },
      () => this.#kept.delete(key),
    )
    return kept.claims
  }

  async #ask(fields: AuthFields, protection: Protection): Promise<Claims> {
    const { object } = protection
    const answer = await this.#ports.authService
      .ask(String(object.url), fields)
      .catch((cause: unknown) => {
        throw unavailable(cause)
      })
    const { status } = answer
    if (status >= 200 && status < 300) return claimsIn(answer, object)
    if (redirects.has(status)) throw new PassedAnswer('service.error.unauthorized', answer)
    if (status === 401 || status === 403) {
      const { realm_uri: realm, type: authmethod } = protection
      const reason = `the service of the path returns ${status}`
      const uri = status === 401 ? 'service.error.unauthorized' : 'wamp.error.not_authorized'
      throw new PassedAnswer(uri, answer, because({ realm, authmethod, reason }))
    }
    throw unavailable(new Error(`the service returns ${status}`))
  }

  /** As whom the request passes, by the realm of now. */
  #identity({ authid, roles, meta }: Claims, protection: Protection): Identity {
    const { realm_uri, type: authmethod } = protection
    if (authid === undefined) return Object.freeze({ ...anonymous(realm_uri), meta })
    const { logins, realms } = this.#ports
    const realm = realms.realm(realm_uri)
    if (authid === gatewayRole || issuerOfName(realm?.info, authid) !== undefined) {
      throw unavailable(new Error('the service names the gateway, or a user of an issuer'))
    }
    if (realm?.disabled.has(authid)) {
      const reason = 'the user is disabled'
      const cause = because({ realm: realm_uri, authmethod, authid, reason })
      throw new ServiceError('wamp.error.not_authorized', 'this user may not use this path', cause)
    }
    const login = logins.user(realm_uri, authid)
    const own = login?.roles
    const authroles = roles?.filter((role) => own === undefined || own.includes(role)) ?? own ?? []
    const user = givenRoles(authid, authroles, login?.user)
    return identityOf({
      ...{ realm_uri, authroles, authmethod },
      user: { ...user, meta: { ...user.meta, ...meta } },
    })
  }
}

/**
 * Reads an answer as `response_headers` and `role_mapping` say. ServiceError where the user is missing, and where a field repeats
 * that is no list: one of its values may be the user's own.
 */
function claimsIn({ headers, repeated }: AuthAnswer, object: Protection['object']): Claims {
  const named = isMap(object.response_headers) ? object.response_headers : {}
  const fieldOf = (name: unknown): string | undefined => {
    const value = typeof name === 'string' ? headers[name.toLowerCase()] : undefined
    return value === undefined ? undefined : String(value)
  }
  const { authid: idField, authroles: rolesField, ...others } = named
  const doubled = [idField, ...Object.values(others)].filter(
    (name) => typeof name === 'string' && repeated.has(name.toLowerCase()),
  )
  if (doubled.length > 0) throw unavailable(new Error(`the service repeats ${doubled.join(', ')}`))
  const authid = fieldOf(idField)
  if (idField !== undefined && (authid === undefined || !isName(authid))) {
    throw unavailable(new Error('the service names no user'))
  }
  const told = fieldOf(rolesField)?.split(',') ?? []
  const mapping = isMap(object.role_mapping) ? object.role_mapping : {}
  const mapped = told.flatMap((role) => {
    const name = role.trim()
    return Object.hasOwn(mapping, name) ? textsIn(mapping[name]) : []
  })
  const meta = Object.entries(others).flatMap(([key, name]) => {
    const value = fieldOf(name)
    return value === undefined ? [] : [[key, value]]
  })
  return {
    authid,
    roles: rolesField === undefined ? undefined : [...new Set(mapped)].filter(isRole),
    meta: Object.fromEntries(meta),
  }
}

const isRole = (role: string): boolean => role !== gatewayRole
