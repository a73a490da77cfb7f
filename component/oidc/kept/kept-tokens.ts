/** The tokens that providers gave at logins: one row of the store for each ticket, sealed under `store.key`. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Claims } from '#component/oidc/claims.ts'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { LoginStore } from '#component/store/login-store.ts'
import type { LoginRow } from '#component/store/tables.ts'
import { endsOf } from '#component/token/revocation.ts'
import { bearerOf } from '#component/token/signed-tokens.ts'
import type { TicketClaims } from '#component/token/ticket.ts'

/** What the provider has said of a user last. */
export type Standing = Pick<TicketClaims, 'authroles' | 'oidc_claims'>

/** The tokens of a login as its provider gave them last. Times are seconds since the epoch. */
interface Tokens {
  readonly access_token: string
  readonly access_token_expires_at?: number
  /** Absent: the provider gives none. */
  readonly refresh_token?: string
  /** Where they may be sent to be renewed. */
  readonly origins: readonly string[]
}

/** What is kept of a login, sealed. */
export interface Kept extends Tokens {
  /** When the access token is renewed before it is given to anybody; absent: it is not known to expire. */
  readonly renew_at?: number
  /** Absent: as in the ticket. */
  readonly standing?: Standing
  /** The claims that stay where the provider renews the tokens without an ID token. */
  readonly ofIdTokenOnly?: Claims
}

/** A kept login, and when its provider was asked last; milliseconds since the epoch. */
export interface Found {
  readonly kept: Kept
  readonly checked_at: number
}

/** The dependencies of {@link KeptTokens}. */
export interface KeptTokenPorts {
  readonly store: Pick<LoginStore, 'keep' | 'find' | 'lease' | 'update'>
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** How long one process has for its question to the provider. Milliseconds. */
export const leaseMs = 30_000

/** An access token is renewed so long before it expires; one that lives for less than twice the time, after half of it. Seconds. */
const renewedBefore = 60

const purposeOf = (ticket: string): string => `provider login ${ticket}`

/** Those of all logins that the store has. Methods throw ServiceError `service.error.unavailable`. */
export class KeptTokens {
  readonly #ports: KeptTokenPorts
  /** Providers that give no refresh tokens, of which the log was told: realm and name. */
  readonly #told = new Set<string>()

  constructor(ports: KeptTokenPorts) {
    this.#ports = ports
  }

  /** Keeps the tokens of a new login until its ticket ends, where anybody needs them; warns where its provider gives no refresh token. */
  async begin(
    claims: TicketClaims,
    tokens: Tokens & { readonly ofIdTokenOnly: Claims },
    settings: ProviderSettings,
  ): Promise<void> {
    const { store, clock } = this.#ports
    const { access_token, access_token_expires_at, refresh_token, ofIdTokenOnly, origins } = tokens
    const { pass_access_token, recheck_interval } = settings
    if (!pass_access_token && recheck_interval === 0) return
    if (refresh_token === undefined) this.#tell(claims.aud, settings)
    if (!pass_access_token && refresh_token === undefined) return
    const bearer = bearerOf(claims)
    await store.keep({
      ticket: claims.id,
      sealed: this.#seal(claims.id, {
        ...this.renewed({
          ...{ access_token, origins },
          ...(access_token_expires_at !== undefined && { access_token_expires_at }),
        }),
        ...(refresh_token !== undefined && { refresh_token }),
        ...(recheck_interval > 0 && { ofIdTokenOnly }),
      }),
      // revocations compare with what the ticket says
      ...{ created_at: bearer.iat * 1_000, checked_at: clock.now(), lease_until: 0 },
      expires_at: claims.exp * 1_000,
      ...endsOf(bearer),
    })
  }

  /** Tokens that have come now. */
  renewed<T extends Tokens>(tokens: T): T & Pick<Kept, 'renew_at'> {
    const { access_token_expires_at: at } = tokens
    if (at === undefined) return tokens
    const now = this.#ports.clock.now() / 1_000
    return { ...tokens, renew_at: Math.floor(Math.max(at - renewedBefore, (now + at) / 2)) }
  }

  /** @param ticket its id; undefined for one of which nothing is kept here */
  async find(ticket: string): Promise<Found | undefined> {
    const row = await this.#ports.store.find(ticket)
    const text = row && this.#ports.box.open(row.sealed, purposeOf(ticket))
    return row && text !== undefined
      ? { kept: JSON.parse(text) as Kept, checked_at: row.checked_at }
      : undefined
  }

  /** Lets one of several processes ask the provider; whether it is the caller. */
  lease(ticket: string, { checked_at }: Found): Promise<boolean> {
    const now = this.#ports.clock.now()
    return this.#ports.store.lease(ticket, checked_at, now, now + leaseMs)
  }

  /** Lets another process ask. */
  async release(ticket: string): Promise<void> {
    await this.#ports.store.update(ticket, { lease_until: 0 })
  }

  /** Keeps what the provider has given. @param isDone whether it has said all: then another process may ask it again */
  async keep(ticket: string, kept: Kept, isDone = false): Promise<void> {
    const changes: Partial<LoginRow> = isDone
      ? { checked_at: this.#ports.clock.now(), lease_until: 0 }
      : {}
    await this.#ports.store.update(ticket, { sealed: this.#seal(ticket, kept), ...changes })
  }

  #tell(realm_uri: string, { name }: ProviderSettings): void {
    const key = `${realm_uri} ${name}`
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#ports.log.warn(
      { realm_uri, provider: name },
      'the provider gives no refresh token, so its logins are not checked again (recheck_interval) and its access tokens not renewed (pass_access_token): add the scope that it wants for one, such as offline_access',
    )
  }

  #seal(ticket: string, kept: Kept): string {
    return this.#ports.box.seal(JSON.stringify(kept), purposeOf(ticket))
  }
}
