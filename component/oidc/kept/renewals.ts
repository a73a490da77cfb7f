/** Asks the provider of a login for new tokens, and what it says of the user now; a login that it has ended is over. */
import type { Log } from '#component/log.ts'
import { type Claims, chosenClaims, rolesIn, rolesOf, toldBy } from '#component/oidc/claims.ts'
import type { Providers } from '#component/oidc/providers.ts'
import type { SessionCounts } from '#component/oidc/session-counts.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { Revocations } from '#component/token/revocation.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Found, Kept, KeptTokens, Standing } from './kept-tokens.ts'

/** The dependencies of {@link Renewals}. */
export interface RenewalPorts {
  readonly tokens: Pick<KeptTokens, 'lease' | 'release' | 'keep' | 'renewed'>
  readonly providers: Pick<Providers, 'get'>
  readonly logins: Pick<Logins, 'user'>
  readonly revocations: Pick<Revocations, 'revokeToken'>
  readonly sessionCounts: Pick<SessionCounts, 'rechecks'>
  readonly log: Pick<Log, 'info'>
}

type Provider = Awaited<ReturnType<Providers['get']>>

const ended = 'the provider has ended the login'

/** What the ticket itself says. */
export const standingOf = ({ authroles, oidc_claims }: TicketClaims): Standing => ({
  authroles,
  ...(oidc_claims && { oidc_claims }),
})

/** One for each process. */
export class Renewals {
  readonly #ports: RenewalPorts

  constructor(ports: RenewalPorts) {
    this.#ports = ports
  }

  /**
   * Asks, unless another process does or has just done so. A ticket that is checked again is checked with it.
   * @returns what is kept from now on; undefined where another process asks
   * @throws TokenError when the provider has ended the login; OidcError, ServiceError
   */
  async renew(claims: TicketClaims, found: Found): Promise<Kept | undefined> {
    const { tokens, providers } = this.#ports
    const { id, aud, oidc_provider: name = '' } = claims
    const { refresh_token, origins } = found.kept
    const provider = await providers.get(aud, name)
    if (!provider.mayGet(origins)) {
      const message = 'the login was made at another address of the provider'
      throw new OidcError('provider_unavailable', message)
    }
    if (refresh_token === undefined || !(await tokens.lease(id, found))) return undefined
    try {
      return await this.#ask(claims, { ...found.kept, refresh_token }, provider)
    } catch (error) {
      // another process may try
      if (!(error instanceof TokenError)) await tokens.release(id)
      throw error
    }
  }

  async #ask(
    claims: TicketClaims,
    kept: Kept & { readonly refresh_token: string },
    provider: Provider,
  ): Promise<Kept> {
    const { tokens } = this.#ports
    const { id, oidc_sub = '' } = claims
    const refreshed = await provider
      .refresh(kept.refresh_token, oidc_sub)
      .catch((error: unknown) => this.#endIfRefused(claims, error))
    const { claims: ofIdToken, ...given } = refreshed
    const { standing = standingOf(claims), ofIdTokenOnly } = kept
    const { origins } = provider
    const next: Kept = {
      ...tokens.renewed({ ...given, origins }),
      ...(kept.standing && { standing }),
      ...(ofIdTokenOnly && { ofIdTokenOnly }),
    }
    const isChecked = claims.oidc_recheck !== undefined
    // at once: the provider may take the former refresh token no more
    await tokens.keep(id, next, !isChecked)
    if (!isChecked) return next
    const userinfo = await provider.userinfo(given.access_token, oidc_sub)
    const told = toldBy(ofIdToken, userinfo ?? {}, provider.settings, ofIdTokenOnly)
    const checked: Kept = {
      ...next,
      // an answer that tells nothing changes nothing
      standing: ofIdToken || userinfo ? this.#told(claims, told.claims, provider) : standing,
      ofIdTokenOnly: told.ofIdTokenOnly,
    }
    await tokens.keep(id, checked, true)
    return checked
  }

  #told({ aud, authid }: TicketClaims, all: Claims, { settings }: Provider): Standing {
    const oidc_claims = chosenClaims(all, settings)
    return {
      authroles: rolesIn(this.#ports.logins, aud, authid, rolesOf(all, settings)),
      ...(oidc_claims && { oidc_claims }),
    }
  }

  /** @throws TokenError for `invalid_grant`, else the error itself */
  async #endIfRefused(claims: TicketClaims, error: unknown): Promise<never> {
    const isEnded = error instanceof OidcError && error.answer.provider_code === 'invalid_grant'
    if (!isEnded) throw error
    const { log, revocations, sessionCounts } = this.#ports
    const { aud: realm_uri, authid, exp, id, oidc_provider: provider } = claims
    // what is kept of it goes with the ticket
    await revocations.revokeToken(id, exp)
    sessionCounts.rechecks.ended += 1
    log.info({ realm_uri, authid, provider }, 'a provider has ended a login')
    throw new TokenError(ended)
  }
}
