/** Revocations on all nodes: of tokens by `jti`, of families of refresh tokens, of logins at a provider, and of everything that a user was issued. */

import { createHash } from 'node:crypto'
import { type Clock, secondsOf } from '#component/clock.ts'
import type { UserName } from '#component/identity.ts'
import type { Change, Draft, Entry } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { FamilyStore } from '#component/store/family-store.ts'
import type { LoginStore } from '#component/store/login-store.ts'

/** A login at an identity provider, as the provider names it (OpenID Connect Core §2, Back-Channel Logout §2.4). */
export interface ProviderLogin {
  /** The URL of the provider. */
  readonly issuer: string
  readonly sub: string
  /** The session at the provider; absent: it names none. */
  readonly sid?: string
}

/** The claims of a token that decide whether it is revoked. */
export interface Bearer {
  readonly jti: string
  /** The family of refresh tokens that it belongs to. */
  readonly family?: string
  /** When its bearer has logged in, or else it was issued. Seconds since the epoch. */
  readonly iat: number
  readonly sub: string
  readonly realm_uri: string
  /** The ids of the revocations that would end the provider's login that it stands for. */
  readonly login?: LoginIds
}

/** The users and tokens that have just been revoked. */
export interface Revoked {
  readonly users: readonly UserName[]
  /** Whether tokens or tickets are among it. Each session knows by itself whether its ticket is revoked. */
  readonly hasTokens: boolean
}

/** The dependencies of {@link Revocations}. */
export interface RevocationPorts {
  readonly replica: Pick<Replica, 'change' | 'get' | 'watch'>
  readonly clock: Pick<Clock, 'now'>
  readonly families: Pick<FamilyStore, 'remove' | 'removeOfUser'>
  /** The tokens of logins at providers, which end with their tickets. */
  readonly logins: Pick<LoginStore, 'remove' | 'removeEnded'>
  /** Of everything that a user may hold: access tokens, refresh tokens, tickets. Seconds. */
  readonly longestLifetime: number
  /** Of the access tokens of a family. Seconds; {@link longestLifetime} when absent. */
  readonly accessLifetime?: number
}

/** Added to the lifetime of a revocation, since `iat` may be a little later than the time of issue. Seconds. */
const spare = 120

/**
 * How far the clocks of two nodes may differ: 30 s each from those of the others. What a node whose clock is ahead has
 * issued is older than it says. Seconds.
 */
const clockSpread = 60

const ofToken = 'token:'
const idOfToken = (jti: string): string => ofToken + jti
const idOfUse = (id: string): string => `used:${id}`
const idOfFamily = (id: string): string => `family:${id}`
/** Names come from a provider and may be long. */
const digestOf = (...names: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(names)).digest('base64url')

/** The ids of the revocations of a login at a provider. */
interface LoginIds {
  /** Of all logins of its subject until a time. */
  readonly subject: string
  /** Of its session. */
  readonly session?: string
}

const idOfSubject = (realm_uri: string, issuer: string, sub: string): string =>
  `subject:${digestOf(realm_uri, issuer, sub)}`
const idOfSession = (realm_uri: string, issuer: string, sid: string): string =>
  `session:${digestOf(realm_uri, issuer, sid)}`

/** The ids of the revocations that end a login. */
export const loginIdsOf = (realm_uri: string, { issuer, sub, sid }: ProviderLogin): LoginIds => ({
  subject: idOfSubject(realm_uri, issuer, sub),
  ...(sid !== undefined && { session: idOfSession(realm_uri, issuer, sid) }),
})

/** The URI of a realm has no blank. */
const idOfUser = (realm_uri: string, authid: string): string => `user:${realm_uri} ${authid}`

/** The ids of the revocations of many that end what a bearer has, as the store of logins keeps them. */
export const endsOf = ({ sub, realm_uri, login }: Bearer) => ({
  user_id: idOfUser(realm_uri, sub),
  subject_id: login?.subject ?? null,
  session_id: login?.session ?? null,
})

/** Methods that revoke throw `service.error.unavailable`; then it may not have been done. */
export class Revocations {
  /** Called with the users and tokens that were revoked on any node: their sessions end. */
  onRevoked: (revoked: Revoked) => void = () => undefined
  readonly #ports: RevocationPorts

  constructor(ports: RevocationPorts) {
    this.#ports = ports
  }

  /** From now on, what this node keeps for users and tickets that were revoked on any node is removed: families, and tokens of providers. */
  start(): void {
    this.#ports.replica.watch('revocation', async (changes) => {
      const revoked = changes.filter(
        ({ entry: { document, id } }) => document !== null && !id.startsWith('used:'),
      )
      if (revoked.length === 0) return
      const users = revoked
        .filter(({ entry }) => entry.id.startsWith('user:'))
        .map(({ entry }) => entry.document as unknown as UserName & { not_before: number })
      this.onRevoked({ users, hasTokens: users.length < revoked.length })
      for (const { realm_uri, authid, not_before } of users) {
        // this node may hear of it late: the user may have logged in again elsewhere
        await this.#ports.families.removeOfUser(realm_uri, authid, (not_before + 1) * 1000)
      }
      for (const { entry } of revoked) await this.#removeLogins(entry)
    })
  }

  async #removeLogins({ id, document }: Pick<Entry, 'id' | 'document'>): Promise<void> {
    const { logins } = this.#ports
    if (id.startsWith(ofToken)) return await logins.remove(id.slice(ofToken.length))
    const { not_before = Number.MAX_SAFE_INTEGER / 1_000 } = document as { not_before?: number }
    await logins.removeEnded(id, Math.floor(not_before * 1_000))
  }

  /**
   * Refuses a token or ticket from now on.
   * @param exp when it expires; seconds since the epoch
   */
  async revokeToken(jti: string, exp: number): Promise<void> {
    if (exp > this.#now()) await this.#keep(() => [{ id: idOfToken(jti), document: { exp } }])
  }

  /**
   * Notes that something is used up, which can be used once.
   * @param exp until when it could be used; seconds since the epoch
   * @returns whether it is the first use that this node knows of; nodes that are disconnected may each have one
   */
  async useOnce(id: string, exp: number): Promise<boolean> {
    const used = idOfUse(id)
    const changes = await this.#keep(() =>
      this.#has(used) ? [] : [{ id: used, document: { exp } }],
    )
    return changes.length > 0
  }

  /** Ends a family of refresh tokens, and the access tokens that came with it. */
  async revokeFamily(id: string): Promise<void> {
    const { families, longestLifetime, accessLifetime = longestLifetime } = this.#ports
    // first: an access token made in between would outlive the revocation
    await families.remove(id)
    const exp = this.#now() + accessLifetime + spare
    await this.#keep(() => [{ id: idOfFamily(id), document: { exp } }])
  }

  /** Refuses all that these users have been issued until now; what they are issued next is valid. */
  async revokeUsers(users: readonly UserName[]): Promise<void> {
    const unique = new Map(users.map((user) => [idOfUser(user.realm_uri, user.authid), user]))
    await this.#keep(() =>
      Array.from(unique, ([id, { realm_uri, authid }]) =>
        this.#untilNow(id, { realm_uri, authid }),
      ),
    )
  }

  /**
   * Ends logins at a provider by its order: those of the session, or of the subject until now where the order names no session.
   * @param order `id` names it, `exp` is until when it could come again (seconds since the epoch)
   * @returns whether it is the first time that this node knows of
   */
  async endLogins(
    realm_uri: string,
    { issuer, sid, sub }: Pick<ProviderLogin, 'issuer'> & Partial<ProviderLogin>,
    order: { readonly id: string; readonly exp: number },
  ): Promise<boolean> {
    const used = idOfUse(`logout:${digestOf(realm_uri, issuer, order.id)}`)
    // in one step: an order whose logins could not be ended may come again
    const changes = await this.#keep(() => {
      if (this.#has(used)) return []
      const exp = this.#now() + this.#ports.longestLifetime + spare
      const ended =
        sid === undefined
          ? this.#untilNow(idOfSubject(realm_uri, issuer, sub ?? ''))
          : { id: idOfSession(realm_uri, issuer, sid), document: { exp } }
      return [{ id: used, document: { exp: order.exp } }, ended]
    })
    return changes.length > 0
  }

  /** Refuses the tickets of all logins of a person at a provider until now. */
  async endSubject(realm_uri: string, { issuer, sub }: ProviderLogin): Promise<void> {
    await this.#keep(() => [this.#untilNow(idOfSubject(realm_uri, issuer, sub))])
  }

  /** Three lookups; five for a ticket of a provider. */
  isRevoked({ jti, family, iat, sub, realm_uri, login }: Bearer): boolean {
    return (
      this.#has(idOfToken(jti)) ||
      (family !== undefined && this.#has(idOfFamily(family))) ||
      iat <= this.#timeIn(idOfUser(realm_uri, sub)) ||
      (login !== undefined && this.#isEnded(login, iat))
    )
  }

  /**
   * Logins of a user until then are refused; the next one must say that it was later. Seconds since the epoch; 0: nothing.
   * @param login where the user logs in at a provider
   */
  notBefore(realm_uri: string, authid: string, login?: ProviderLogin): number {
    const ofUser = this.#timeIn(idOfUser(realm_uri, authid))
    if (login === undefined) return ofUser
    return Math.max(ofUser, this.#timeIn(idOfSubject(realm_uri, login.issuer, login.sub)))
  }

  #isEnded({ session, subject }: LoginIds, iat: number): boolean {
    return (session !== undefined && this.#has(session)) || iat <= this.#timeIn(subject)
  }

  #timeIn(id: string): number {
    const document = this.#ports.replica.get('revocation', id)?.document
    return (document?.not_before as number | undefined) ?? 0
  }

  /** A revocation of all that was issued until now, and is told apart by its time. */
  #untilNow(id: string, name: Partial<UserName> = {}): Draft {
    // a token of this second may be one that was issued after the last time: see notBefore
    const not_before = Math.max(this.#now() + clockSpread, this.#timeIn(id) + 1)
    const exp = not_before + this.#ports.longestLifetime + spare
    return { id, document: { ...name, not_before, exp } }
  }

  #has(id: string): boolean {
    return Boolean(this.#ports.replica.get('revocation', id)?.document)
  }

  #now(): number {
    return secondsOf(this.#ports.clock)
  }

  #keep(decide: () => Draft[]): Promise<readonly Change[]> {
    return this.#ports.replica.change('revocation', decide)
  }
}
