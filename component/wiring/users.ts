/** The users of this process: realms and accounts, and the keys, tokens, tickets and API keys issued to them. */
import { randomBytes } from 'node:crypto'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { egressBy } from '#component/action/connections/egress.ts'
import { EndpointBook } from '#component/delivery/endpoints/endpoint-book.ts'
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import { maxAnswer } from '#component/issuer/fetch-keys.ts'
import { ForeignTokens } from '#component/issuer/foreign-tokens.ts'
import { ForeignUsers } from '#component/issuer/foreign-users.ts'
import { AllIssuerKeys } from '#component/issuer/issuer-keys.ts'
import { Accounts } from '#component/oidc/accounts.ts'
import { IdTokens } from '#component/oidc/id-tokens.ts'
import { SessionCounts } from '#component/oidc/session-counts.ts'
import { settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import { Logins } from '#component/realm/logins.ts'
import { Realms } from '#component/realm/realms.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { AccessTokens } from '#component/token/access-token.ts'
import { ApiKeys } from '#component/token/api-key.ts'
import { KeyUses } from '#component/token/key-uses.ts'
import { RealmKeys } from '#component/token/keys.ts'
import { RefreshTokens } from '#component/token/refresh-token-rotation.ts'
import { Revocations, type Revoked } from '#component/token/revocation.ts'
import { SeenTickets } from '#component/token/seen-tickets.ts'
import { maxTicketLifetime, Tickets } from '#component/token/ticket.ts'
import { TicketUses } from '#component/token/ticket-uses.ts'
import type { NodeState } from './context.ts'
import { Suspension } from './suspension.ts'

/** The replica, whose changes the other processes of this gateway know as soon as they are made. */
export const broadcasting = (
  replica: NodeState['replica'],
  broadcast: (() => Promise<void>) | undefined,
): Pick<NodeState['replica'], 'change' | 'entries' | 'get' | 'watch'> =>
  broadcast === undefined
    ? replica
    : {
        get: (kind, id) => replica.get(kind, id),
        entries: (kind) => replica.entries(kind),
        watch: (kind, watcher) => replica.watch(kind, watcher),
        async change(kind, decide) {
          const changes = await replica.change(kind, decide)
          if (changes.length > 0) await broadcast()
          return changes
        },
      }

/** Opened once the replica has been read. */
export class Users {
  readonly realms: Realms
  readonly logins: Logins
  readonly keys: RealmKeys
  readonly revocations: Revocations
  readonly accessTokens: AccessTokens
  readonly refreshTokens: RefreshTokens
  readonly tickets: Tickets
  readonly ticketUses: TicketUses
  readonly seenTickets: SeenTickets
  readonly apiKeys: ApiKeys
  readonly sessionTickets: SessionTickets
  readonly accounts: Accounts
  readonly idTokens: IdTokens
  /** The endpoints of deliveries that users have added. */
  readonly endpoints: EndpointBook
  readonly sessionCounts = new SessionCounts()
  readonly issuerKeys: AllIssuerKeys
  readonly foreignTokens: ForeignTokens
  readonly foreignUsers: ForeignUsers
  readonly box: NodeState['box']
  readonly families: NodeState['store']['families']
  readonly #suspension: Suspension
  readonly #outside: CheckedFetch

  constructor(state: NodeState) {
    const { config, box, clock, log, node } = state
    const { families } = state.store
    const replica = broadcasting(state.replica, state.broadcast)
    const { access_token_ttl, refresh_token_ttl, refresh_grace } = config.oauth2
    this.box = box
    this.families = families
    this.realms = new Realms({
      ...{ replica: state.replica, log, box },
      environment: process.env,
      keepsPasswords: config.wamp.url !== undefined,
    })
    this.logins = new Logins({ realms: this.realms })
    const keys = new RealmKeys({
      ...{ replica, box, clock, log },
      longestLifetime: Math.max(access_token_ttl, maxTicketLifetime),
    })
    const revocations = new Revocations({
      ...{ replica, clock, families, logins: state.store.logins },
      longestLifetime: Math.max(access_token_ttl, refresh_token_ttl, maxTicketLifetime),
      accessLifetime: access_token_ttl,
    })
    this.keys = keys
    this.revocations = revocations
    this.accessTokens = new AccessTokens({ keys, revocations, clock, ttl: access_token_ttl })
    this.#suspension = new Suspension(clock)
    this.refreshTokens = new RefreshTokens({
      ...{ families, box, revocations, clock, suspension: this.#suspension },
      ttl: refresh_token_ttl,
      graceMs: refresh_grace * 1000,
    })
    this.tickets = new Tickets({ keys, revocations, clock, node })
    this.ticketUses = new TicketUses({ store: state.store.ticketUses, clock, log })
    this.seenTickets = new SeenTickets({ clock, revocations })
    this.apiKeys = new ApiKeys({
      ...{ replica, clock },
      uses: new KeyUses({ store: state.store.ticketUses, clock, log }),
    })
    // the others know the clock of the process that sends heartbeats
    this.sessionTickets = new SessionTickets({ box, clock, node: state.workers?.[0] ?? node })
    this.accounts = new Accounts({
      ...{ replica, realms: this.realms, revocations, clock, log },
    })
    this.idTokens = new IdTokens({ replica, box, clock })
    this.endpoints = new EndpointBook({
      ...{ replica, box, clock, randomBytes },
      maxEndpoints: config.deliveries.max_endpoints,
    })
    const egress = egressBy(config.egress)
    this.#outside = new CheckedFetch({ clock, maxBytes: maxAnswer, egress })
    const fetch = this.#outside.fetch.bind(this.#outside)
    this.issuerKeys = new AllIssuerKeys({ fetch, clock, log })
    const { accounts, issuerKeys, realms } = this
    this.foreignTokens = new ForeignTokens({ realms, clock, keys: issuerKeys, log })
    this.foreignUsers = new ForeignUsers({ realms, accounts, revocations })
    this.realms.onUsersRevoked = (users) => this.endUsers(users)
  }

  start(): void {
    this.realms.start()
    this.keys.start()
    this.revocations.start()
    this.accounts.start()
    this.apiKeys.start()
    this.endpoints.start()
    this.#suspension.start()
  }

  /** Ends the connections to issuers, too. */
  async stop(): Promise<void> {
    this.#suspension.stop()
    await this.#outside.close()
  }

  /** Called with users and tokens that were revoked on any node. */
  set onRevoked(listener: (revoked: Revoked) => void) {
    this.revocations.onRevoked = listener
  }

  /** Revokes all tokens, tickets and API keys issued to users until now, and ends their sessions. */
  async endUsers(users: readonly UserName[]): Promise<void> {
    await this.revocations.revokeUsers(users)
    await this.apiKeys.revokeOfUsers(users)
    await this.endpoints.removeOfUsers(users.filter((user) => !this.#isThere(user)))
  }

  /** Whether the realm has the user, enabled or not, or others prove the user. */
  #isThere({ realm_uri, authid }: UserName): boolean {
    const realm = this.realms.realm(realm_uri)
    if (realm === undefined) return false
    if (realm.users.has(authid) || realm.disabled.has(authid)) return true
    return this.accounts.isKnown(realm_uri, authid) || this.foreignUsers.isKnown(realm_uri, authid)
  }

  /**
   * Revokes the tickets of all logins of a person at an identity provider until now.
   * @param provider its name in the realm
   * @throws ServiceError `service.error.not_found`, `service.error.unavailable`
   */
  async endSubject(realm_uri: string, provider: string, sub: string): Promise<void> {
    await this.revocations.endSubject(realm_uri, {
      issuer: this.#issuerOf(realm_uri, provider),
      sub,
    })
  }

  #issuerOf(realm_uri: string, provider: string): string {
    try {
      return settingsOf(this.realms, realm_uri, provider).issuer
    } catch (cause) {
      if (!(cause instanceof OidcError)) throw cause
      const message = `the realm has no usable provider of this name: ${cause.message}`
      throw new ServiceError('service.error.not_found', message, { cause })
    }
  }

  /**
   * Frees the name of a user of an identity provider; all that the user was given has ended when it resolves.
   * @throws ServiceError `service.error.not_found`, `service.error.unavailable`
   */
  async forgetAccount(user: UserName): Promise<void> {
    await this.accounts.forget(user.realm_uri, user.authid)
    await this.endUsers([user])
  }

  /** Removes the keys, accounts, refresh tokens and endpoints of a deleted realm, so that a later realm of its name begins without them. */
  async forgetRealm(uri: string): Promise<void> {
    await this.keys.remove(uri)
    await this.accounts.removeOfRealm(uri)
    await this.families.removeOfRealm(uri)
    await this.endpoints.removeOfRealm(uri)
  }
}
