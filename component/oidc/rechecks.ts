/** Whether users who have logged in are still who they were: their provider is asked again by the refresh tokens of the logins. */
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { LoginStore } from '#component/store/login-store.ts'
import type { LoginRow } from '#component/store/tables.ts'
import type { Revocations } from '#component/token/revocation.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import { chosenClaims, mergeClaims, rolesOf } from './claims.ts'
import { why } from './client/discovery.ts'
import type { Exchanged } from './provider.ts'
import { rolesIn } from './provider-tickets.ts'
import type { Providers } from './providers.ts'
import type { SessionCounts } from './session-counts.ts'
import { type ProviderSettings, settingsOf } from './settings.ts'

/** The dependencies of {@link Rechecks}. */
export interface RecheckPorts {
  readonly store: Pick<LoginStore, 'keep' | 'find' | 'lease' | 'update' | 'remove'>
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  readonly providers: Pick<Providers, 'get'>
  readonly realms: Parameters<typeof settingsOf>[0]
  readonly logins: Pick<Logins, 'user'>
  readonly revocations: Pick<Revocations, 'revokeToken'>
  readonly sessionCounts: Pick<SessionCounts, 'rechecks'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** What the provider has said of a user last. */
type Standing = Pick<TicketClaims, 'authroles' | 'oidc_claims'>

/** What is kept of a login, sealed. */
interface Kept {
  readonly refresh_token: string
  readonly access_token: string
  readonly access_token_expires_at?: number
  /** Absent: as in the ticket. */
  readonly standing?: Standing
}

/** A login, as far as this process knows it. Times are milliseconds since the epoch. */
interface Known {
  checkedAt: number
  /** When it is looked at again. */
  dueAt: number
  standing: Standing | undefined
  /** The claims that were made of it last, and of which. */
  made?: { readonly from: TicketClaims; readonly of: Standing; readonly claims: TicketClaims }
  /** While this process asks. */
  pending?: Promise<void>
}

/** Told of a ticket whose roles or claims are no longer those that the provider has just told. */
export type OnChanged = (claims: TicketClaims, settings: ProviderSettings) => void | Promise<void>

/** How long one process has for its question; the others serve on meanwhile. Milliseconds. */
const leaseMs = 30_000

/** Until a process looks again for the answer that another one waits for. Milliseconds. */
const lookAgainMs = 1_000

/** Logins that a process remembers at most; of others it reads the row again. */
const maxKnown = 100_000

const purposeOf = (ticket: string): string => `provider login ${ticket}`

const overdue = 'the login could not be checked at its provider for too long'
const ended = 'the provider has ended the login'

/** One for each process. */
export class Rechecks {
  readonly #ports: RecheckPorts
  readonly #known = new LRUCache<string, Known>({ max: maxKnown })
  /** Providers that give no refresh tokens, of which the log was told: realm and name. */
  readonly #told = new Set<string>()
  readonly #throttle: LogThrottle

  constructor(ports: RecheckPorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /**
   * Keeps the tokens of a login that is to be checked; warns where its provider gives no refresh token.
   * @throws ServiceError `service.error.unavailable`
   */
  async begin(claims: TicketClaims, found: Exchanged, settings: ProviderSettings): Promise<void> {
    const { store, clock } = this.#ports
    if (settings.recheck_interval === 0) return
    const { access_token, access_token_expires_at, refresh_token } = found
    if (refresh_token === undefined) return this.#tell(claims.aud, settings)
    const now = clock.now()
    await store.keep({
      ticket: claims.id,
      sealed: this.#seal(claims.id, {
        ...{ access_token, refresh_token },
        ...(access_token_expires_at !== undefined && { access_token_expires_at }),
      }),
      ...{ created_at: now, checked_at: now, lease_until: 0, expires_at: claims.exp * 1_000 },
    })
  }

  /** Forgets the tokens of a ticket that has ended. @throws ServiceError `service.error.unavailable` */
  async forget(claims: TicketClaims): Promise<void> {
    if (claims.oidc_recheck !== undefined) await this.#ports.store.remove(claims.id)
  }

  /**
   * The claims of a ticket with the roles and claims that its provider has told last; at once unless the provider is to be asked.
   * @param claims of a ticket with `oidc_recheck`
   * @throws TokenError, at once or as a rejection, when the login has ended, or could not be checked for too long
   */
  current(claims: TicketClaims, onChanged: OnChanged): TicketClaims | Promise<TicketClaims> {
    const known = this.#of(claims)
    // while this process asks, it serves on
    const isAsking = known.pending !== undefined
    if (isAsking || this.#ports.clock.now() < known.dueAt) return standing(claims, known)
    known.pending = this.#check(claims, known, onChanged).finally(() => delete known.pending)
    return known.pending.then(() => standing(claims, known))
  }

  #of(claims: TicketClaims): Known {
    const { id, iat, oidc_recheck = 0 } = claims
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const checkedAt = iat * 1_000
    const dueAt = checkedAt + oidc_recheck * 1_000
    const fresh: Known = { checkedAt, dueAt, standing: undefined }
    this.#known.set(id, fresh)
    return fresh
  }

  async #check(claims: TicketClaims, known: Known, onChanged: OnChanged): Promise<void> {
    const { clock, log, providers, sessionCounts } = this.#ports
    const { id, aud: realm_uri, oidc_provider: name = '', oidc_recheck = 0 } = claims
    const interval = oidc_recheck * 1_000
    let grace = 0
    try {
      const settings = settingsOf(this.#ports.realms, realm_uri, name)
      grace = settings.recheck_grace * 1_000
      const provider = await providers.get(realm_uri, name)
      const found = await this.#ports.store.find(id)
      const kept = found && this.#open(found)
      if (!found || !kept) throw new Error('the tokens of the login are not kept here')
      take(known, found, kept, interval)
      const now = clock.now()
      if (now < known.dueAt) return
      if (!(await this.#ports.store.lease(id, found.checked_at, now, now + leaseMs))) {
        known.dueAt = now + lookAgainMs
        return
      }
      const told = await this.#ask(claims, kept, provider).catch(async (error: unknown) => {
        // another process may try
        if (!(error instanceof TokenError)) await this.#ports.store.update(id, { lease_until: 0 })
        throw error
      })
      const checkedAt = clock.now()
      take(known, { checked_at: checkedAt }, { standing: told }, interval)
      const isChanged = !isDeepStrictEqual(standingOf(claims), told)
      sessionCounts.rechecks[isChanged ? 'changed' : 'same'] += 1
      if (isChanged) await onChanged(standing(claims, known), settings)
    } catch (error) {
      if (error instanceof TokenError) throw error
      sessionCounts.rechecks.failed += 1
      if (this.#throttle.admits(`${realm_uri} ${name}`)) {
        const line = { realm_uri, provider: name, reason: why(error) }
        log.warn(line, 'a login could not be checked at its provider')
      }
      const now = clock.now()
      const endsAt = known.checkedAt + interval + grace
      const isOverdue = now > endsAt
      // of a login that is refused, each request tries again
      known.dueAt = isOverdue ? 0 : Math.min(now + leaseMs, endsAt + 1)
      if (isOverdue) throw new TokenError(overdue)
    }
  }

  /** Asks the provider, and keeps what it says. @throws TokenError when the login has ended; OidcError, ServiceError */
  async #ask(
    claims: TicketClaims,
    kept: Kept,
    provider: Awaited<ReturnType<Providers['get']>>,
  ): Promise<Standing> {
    const { clock, logins, store } = this.#ports
    const { id, authid, aud: realm_uri, oidc_sub = '' } = claims
    const { settings } = provider
    const refreshed = await provider
      .refresh(kept.refresh_token, oidc_sub)
      .catch((error: unknown) => this.#endIfRefused(claims, error))
    const { claims: ofIdToken, ...tokens } = refreshed
    const next: Kept = { ...kept, ...tokens }
    // at once: the provider may take the former refresh token no more
    await store.update(id, { sealed: this.#seal(id, next) })
    const userinfo = await provider.userinfo(tokens.access_token, oidc_sub)
    const before = kept.standing ?? standingOf(claims)
    let told = before
    if (ofIdToken ?? userinfo) {
      const all = mergeClaims(ofIdToken ?? {}, userinfo ?? {})
      const oidc_claims = chosenClaims(all, settings)
      told = {
        authroles: rolesIn(logins, realm_uri, authid, rolesOf(all, settings)),
        ...(oidc_claims && { oidc_claims }),
      }
    }
    const sealed = this.#seal(id, { ...next, standing: told })
    await store.update(id, { sealed, checked_at: clock.now(), lease_until: 0 })
    return told
  }

  /** @throws TokenError for `invalid_grant`, else the error itself */
  async #endIfRefused(claims: TicketClaims, error: unknown): Promise<never> {
    const isEnded = error instanceof OidcError && error.answer.provider_code === 'invalid_grant'
    if (!isEnded) throw error
    const { log, revocations, sessionCounts } = this.#ports
    const { aud: realm_uri, authid, exp, id, oidc_provider: provider } = claims
    await revocations.revokeToken(id, exp)
    await this.forget(claims)
    sessionCounts.rechecks.ended += 1
    log.info({ realm_uri, authid, provider }, 'a provider has ended a login')
    throw new TokenError(ended)
  }

  #seal(ticket: string, kept: Kept): string {
    return this.#ports.box.seal(JSON.stringify(kept), purposeOf(ticket))
  }

  #open({ ticket, sealed }: LoginRow): Kept | undefined {
    const text = this.#ports.box.open(sealed, purposeOf(ticket))
    return text === undefined ? undefined : (JSON.parse(text) as Kept)
  }

  #tell(realm_uri: string, { name }: ProviderSettings): void {
    const key = `${realm_uri} ${name}`
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#ports.log.warn(
      { realm_uri, provider: name },
      'the provider gives no refresh token, so its logins are not checked again (recheck_interval): add the scope that it wants for one, such as offline_access',
    )
  }
}

const standingOf = ({ authroles, oidc_claims }: TicketClaims): Standing => ({
  authroles,
  ...(oidc_claims && { oidc_claims }),
})

/** Takes what was found out, here or by another process. */
function take(
  known: Known,
  { checked_at }: Pick<LoginRow, 'checked_at'>,
  kept: Pick<Kept, 'standing'>,
  intervalMs: number,
): void {
  known.checkedAt = checked_at
  known.dueAt = checked_at + intervalMs
  known.standing = kept.standing
}

/** The claims of a ticket with what is known of its user. Equal ones are one object: identities are made once of each. */
function standing(from: TicketClaims, known: Known): TicketClaims {
  const { standing: of, made } = known
  if (of === undefined) return from
  if (made?.from === from && made.of === of) return made.claims
  const { oidc_claims: _former, ...rest } = from
  const isSame = isDeepStrictEqual(standingOf(from), of)
  const claims: TicketClaims = isSame ? from : Object.freeze({ ...rest, ...of })
  known.made = { from, of, claims }
  return claims
}
