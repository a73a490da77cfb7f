/** The users who log in at a provider: an authid belongs to the (issuer, sub) that had it first (reliability: account takeover). */

import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { OidcError } from '#component/oidc-error.ts'
import { issuerOfName } from '#component/realm/documents/info/issuer-rules.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { Change, Document } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { isReservedName } from './claims.ts'

/** The identity of a person at a provider (OpenID Connect Core §2). */
export interface Person {
  readonly issuer: string
  readonly sub: string
}

/** As it is replicated: kind `oidc_user`, id `<realm_uri> <authid>`; the URI of a realm has no blank. */
interface AccountDocument extends Person, Readonly<Record<string, unknown>> {
  readonly realm_uri: string
  readonly authid: string
  /** Milliseconds since the epoch. */
  readonly created_at: number
}

/** The dependencies of {@link Accounts}. */
export interface AccountPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'get' | 'watch'>
  readonly realms: Pick<Realms, 'realm'>
  readonly revocations: Pick<Revocations, 'revokeUsers'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

const idOf = (realm_uri: string, authid: string): string => `${realm_uri} ${authid}`

/** A realm and a person in it. */
const personIn = (realm_uri: string, { issuer, sub }: Person): string =>
  `${realm_uri} ${issuer} ${sub}`

const isSame = (a: Person, b: Person): boolean => a.issuer === b.issuer && a.sub === b.sub

/** Of each realm as it is now: every request of its users asks. */
const known = new WeakMap<Realm, ReadonlySet<string>>()

function rolesOfGrants(realm: Realm): ReadonlySet<string> {
  const found = known.get(realm) ?? new Set(realm.grants.flatMap(({ roles }) => [...roles]))
  known.set(realm, found)
  return found
}

/** Why the document of the realm keeps a name from users whom others prove; undefined if it does not. */
export function documentRefusal(realm: Realm, authid: string): string | undefined {
  if (realm.disabled.has(authid)) return 'the user is disabled'
  const user = realm.users.get(authid)
  const hasOwn = user && (user.password !== undefined || user.authorized_keys.length > 0)
  return hasOwn ? 'a user of the realm document with a password or keys has this name' : undefined
}

/**
 * Why a user of a provider cannot have this name in the realm; undefined if it can. A name in the grants of the realm would
 * get their permissions, so that it must be a user of the document.
 */
function refusalOf(realm: Realm, authid: string): string | undefined {
  if (isReservedName(authid)) return 'the name is reserved'
  if (issuerOfName(realm.info, authid) !== undefined) {
    return 'the name is that of a user of an issuer of access tokens'
  }
  const refusal = documentRefusal(realm, authid)
  if (refusal !== undefined || realm.users.has(authid)) return refusal
  return rolesOfGrants(realm).has(authid)
    ? 'the grants of the realm name it, but the realm document has no such user'
    : undefined
}

/** The accounts of all realms. */
export class Accounts {
  readonly #ports: AccountPorts
  /** Counts the changes of {@link nameOf} and {@link isKnown} that no realm document makes. */
  version = 0
  /** The names of each person in a realm. */
  readonly #names = new Map<string, Set<string>>()

  constructor(ports: AccountPorts) {
    this.#ports = ports
  }

  /** From now on, names are found by their persons, and everything is revoked that was issued to a name which separated nodes have bound to two persons. */
  start(): void {
    const { replica } = this.#ports
    for (const { document } of replica.entries('oidc_user')) this.#note(document)
    replica.watch('oidc_user', (changes) => {
      this.version += 1
      for (const { entry, before } of changes) {
        this.#forget(before?.document)
        this.#note(entry.document)
      }
      this.#endDoubles(changes)
    })
  }

  /** The name that is bound to a person; undefined unless it is one name. */
  nameOf(realm_uri: string, person: Person): string | undefined {
    const names = this.#names.get(personIn(realm_uri, person))
    if (names?.size !== 1) return undefined
    const [name] = names
    return name
  }

  #note(document: Document | null): void {
    if (!document) return
    const { realm_uri, authid, ...person } = document as AccountDocument
    const key = personIn(realm_uri, person)
    this.#names.set(key, (this.#names.get(key) ?? new Set()).add(authid))
  }

  #forget(document: Document | null | undefined): void {
    if (!document) return
    const { realm_uri, authid, ...person } = document as AccountDocument
    const key = personIn(realm_uri, person)
    const names = this.#names.get(key)
    names?.delete(authid)
    if (names?.size === 0) this.#names.delete(key)
  }

  /**
   * Binds a name to the first person who logs in with it; nothing changes when it is bound to this person already.
   * @param isOpen whether a name may be bound that is not in the document
   * @throws OidcError ticket_issue_failed; ServiceError `service.error.unavailable`
   */
  async bind(realm_uri: string, authid: string, person: Person, isOpen: boolean): Promise<void> {
    const { replica, realms, clock } = this.#ports
    const id = idOf(realm_uri, authid)
    await replica.change('oidc_user', () => {
      const realm = realms.realm(realm_uri)
      const bound = this.#bound(realm_uri, authid)
      const refusal = realm ? refusalOf(realm, authid) : 'the realm no longer exists'
      if (refusal !== undefined) throw refused(refusal)
      if (bound) {
        if (isSame(bound, person)) return []
        throw takenByAnother(bound, person)
      }
      if (!isOpen && !realm?.users.has(authid)) {
        throw refused('the realm document has no such user, and auto_provision is false')
      }
      const { issuer, sub } = person
      return [{ id, document: { realm_uri, authid, issuer, sub, created_at: clock.now() } }]
    })
  }

  /** Frees a name for another user. @throws ServiceError `service.error.not_found` when the name is free, `service.error.unavailable` */
  async forget(realm_uri: string, authid: string): Promise<void> {
    const { replica } = this.#ports
    await replica.change('oidc_user', () => {
      if (this.#bound(realm_uri, authid)) return [{ id: idOf(realm_uri, authid), document: null }]
      const message = 'no user of an identity provider has this name in the realm'
      throw new ServiceError('service.error.not_found', message)
    })
  }

  /** Frees the names of a realm that is no more. @throws ServiceError `service.error.unavailable` */
  async removeOfRealm(realm_uri: string): Promise<void> {
    const { replica } = this.#ports
    await replica.change('oidc_user', () =>
      replica
        .entries('oidc_user')
        .filter(({ document }) => document?.realm_uri === realm_uri)
        .map(({ id }) => ({ id, document: null })),
    )
  }

  /** Whether the name is bound to a person of a provider and allowed in the realm as it is now. A few lookups. */
  isKnown(realm_uri: string, authid: string): boolean {
    const realm = this.#ports.realms.realm(realm_uri)
    if (!realm || !this.#bound(realm_uri, authid)) return false
    return refusalOf(realm, authid) === undefined
  }

  #bound(realm_uri: string, authid: string): AccountDocument | undefined {
    const entry = this.#ports.replica.get('oidc_user', idOf(realm_uri, authid))
    return (entry?.document ?? undefined) as AccountDocument | undefined
  }

  #endDoubles(changes: readonly Change[]): void {
    const users = changes.flatMap(({ entry, before }) => {
      const [now, old] = [entry.document, before?.document].map((one) => one as AccountDocument)
      return now && old && !isSame(now, old) ? now : []
    })
    if (users.length === 0) return
    const { revocations, log } = this.#ports
    log.warn(
      { users: users.map(({ realm_uri, authid }) => ({ realm_uri, authid })) },
      'one authid was bound to two persons',
    )
    // not waited for: the replica is waiting for us
    revocations
      .revokeUsers(users)
      .catch((err: unknown) =>
        log.warn(
          { err },
          'the tickets of an authid that was bound to two persons could not be revoked',
        ),
      )
  }
}

/**
 * The provider has made a user anew, or gives the claim to another one; or the user comes from another issuer, as after a move of
 * the realm: only people can say whether it is the same person.
 */
function takenByAnother(bound: Person, person: Person): OidcError {
  const [whose, before] =
    bound.issuer === person.issuer
      ? ['another user of this provider', 'here before']
      : ['a user of another issuer', 'here before, who came from another issuer']
  return new OidcError('ticket_issue_failed', `the name belongs to ${whose}`, {
    advice: `The identity provider says that you are not the user who had this name ${before}. If you are to have it, ask an operator to free the name (service.forget_account), and log in again.`,
  })
}

const refused = (message: string): OidcError => new OidcError('ticket_issue_failed', message)
