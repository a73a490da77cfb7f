/** The access tokens that providers have given for users: kept by the login, and renewed before they expire, for who may read them. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { atMost } from '#component/limits/at-most.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { why } from '#component/oidc/client/discovery.ts'
import { settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import { type Kept, type KeptTokens, leaseMs } from './kept-tokens.ts'
import type { LoginNodes } from './login-nodes.ts'
import type { Renewals } from './renewals.ts'

/** The dependencies of {@link ProviderTokens}. */
export interface ProviderTokenPorts {
  readonly tokens: Pick<KeptTokens, 'find'>
  readonly renewals: Pick<Renewals, 'renew'>
  readonly nodes: Pick<LoginNodes, 'token'>
  readonly realms: Parameters<typeof settingsOf>[0]
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
}

/** A token, and until when it is given without another look at what is kept; milliseconds since the epoch. */
export interface Given {
  readonly token: string
  readonly until: number
}

/** Of each login that a process knows, what it looks at now, or has found. */
interface Known {
  given?: Given
  /** While this process looks: all requests of the login wait for one look. */
  pending?: Promise<string>
}

/** Until what is kept is looked at again: another process may have renewed it. Milliseconds. */
const lookAgainMs = 30_000

/** Between two looks for the token that another process is renewing, and how long it may take in all. Milliseconds. */
const [pauseMs, longestWait] = [250, leaseMs / 3]

/** Until a token that holds and could not be renewed is tried again. Milliseconds. */
const retryMs = 5_000

/** Logins that a process remembers at most. */
const maxKnown = 10_000

const notKept = 'the login has no access token of the provider: log in again'
const expired = 'the access token of the provider has expired: log in again'

const unavailable = (cause?: unknown) =>
  new ServiceError(
    'service.error.unavailable',
    'the access token of the provider cannot be renewed now',
    {
      cause,
      headers: { 'Retry-After': '5' },
    },
  )

/** One for each process. */
export class ProviderTokens {
  readonly #ports: ProviderTokenPorts
  readonly #known = new LRUCache<string, Known>(atMost(maxKnown))
  readonly #throttle: LogThrottle

  constructor(ports: ProviderTokenPorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /**
   * The access token of the login that a ticket stands for; undefined where its provider does not pass tokens on.
   * @throws TokenError, at once or as a rejection, when the login has none that holds; ServiceError `service.error.unavailable`
   *   when it cannot be renewed now
   */
  of(claims: TicketClaims): undefined | string | Promise<string> {
    if (!this.isPassed(claims)) return undefined
    const known = this.#known.get(claims.id) ?? {}
    this.#known.set(claims.id, known)
    const { given } = known
    if (given !== undefined && this.#ports.clock.now() < given.until) return given.token
    known.pending ??= this.#look(claims)
      .then((found) => {
        known.given = found
        return found.token
      })
      .finally(() => delete known.pending)
    return known.pending
  }

  /** The same for another node. @throws TokenError, ServiceError */
  async answer(claims: TicketClaims): Promise<Given | undefined> {
    const token = await this.of(claims)
    return token === undefined ? undefined : this.#known.get(claims.id)?.given
  }

  /** Whether the provider of a ticket passes tokens on. */
  isPassed({ aud, oidc_provider = '' }: TicketClaims): boolean {
    try {
      return settingsOf(this.#ports.realms, aud, oidc_provider).pass_access_token
    } catch (error) {
      // the ticket holds, but what its provider may do is not known
      if (error instanceof OidcError) return false
      throw error
    }
  }

  async #look(claims: TicketClaims): Promise<Given> {
    const { clock, tokens } = this.#ports
    const endsAt = clock.now() + longestWait
    for (;;) {
      const found = await tokens.find(claims.id)
      if (found === undefined) return await this.#elsewhere(claims)
      const { kept } = found
      const now = clock.now() / 1_000
      const holds = now < (kept.access_token_expires_at ?? Number.POSITIVE_INFINITY)
      const isFresh =
        kept.refresh_token === undefined || now < (kept.renew_at ?? Number.POSITIVE_INFINITY)
      if (holds && isFresh) return this.#given(kept)
      if (kept.refresh_token === undefined) throw new TokenError(expired)
      try {
        const renewed = await this.#ports.renewals.renew(claims, found)
        if (renewed) return this.#given(renewed)
      } catch (error) {
        if (error instanceof TokenError) throw error
        this.#tell(claims, error)
        if (!holds) throw unavailable(error)
      }
      // the former one serves while it is renewed, or the provider is away
      if (holds) return { token: kept.access_token, until: this.#soon(kept) }
      if (clock.now() >= endsAt) throw unavailable()
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
    }
  }

  /** When a token that could not be renewed is to be: soon, and at its end at the latest. */
  #soon({ access_token_expires_at = Number.POSITIVE_INFINITY }: Kept): number {
    return Math.min(this.#ports.clock.now() + retryMs, access_token_expires_at * 1_000)
  }

  #tell({ aud: realm_uri, oidc_provider: provider }: TicketClaims, error: unknown): void {
    if (!this.#throttle.admits(`${realm_uri} ${provider}`)) return
    const line = { realm_uri, provider, reason: why(error) }
    this.#ports.log.warn(line, 'an access token of a provider could not be renewed')
  }

  async #elsewhere(claims: TicketClaims): Promise<Given> {
    const given = await this.#ports.nodes.token(claims).catch((error: unknown) => {
      throw error instanceof TokenError ? error : unavailable(error)
    })
    if (given === undefined) throw new TokenError(notKept)
    return { ...given, until: Math.min(given.until, this.#ports.clock.now() + lookAgainMs) }
  }

  #given({ access_token: token, renew_at, access_token_expires_at }: Kept): Given {
    const ends = Math.min(
      renew_at ?? Number.POSITIVE_INFINITY,
      access_token_expires_at ?? Number.POSITIVE_INFINITY,
    )
    const now = this.#ports.clock.now()
    // one that is not renewed counts until its end
    const until = ends * 1_000 > now ? ends * 1_000 : (access_token_expires_at ?? 0) * 1_000
    return { token, until: Math.min(now + lookAgainMs, until) }
  }
}
