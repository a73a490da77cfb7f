/** Whether users who have logged in are still who they were: their provider is asked again by the refresh tokens of the logins. */
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { why } from '#component/oidc/client/discovery.ts'
import type { SessionCounts } from '#component/oidc/session-counts.ts'
import { type ProviderSettings, settingsOf } from '#component/oidc/settings.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import { type KeptTokens, leaseMs, type Standing } from './kept-tokens.ts'
import type { LoginNodes } from './login-nodes.ts'
import { type Renewals, standingOf } from './renewals.ts'

/** The dependencies of {@link Rechecks}. */
export interface RecheckPorts {
  readonly tokens: Pick<KeptTokens, 'find'>
  readonly renewals: Pick<Renewals, 'renew'>
  readonly nodes: Pick<LoginNodes, 'standing'>
  readonly realms: Parameters<typeof settingsOf>[0]
  readonly sessionCounts: Pick<SessionCounts, 'rechecks'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
}

/** When the provider of a login was asked last, and what it has said; absent: what the ticket says. Milliseconds since the epoch. */
export interface Checked {
  readonly checked_at: number
  readonly standing?: Standing | undefined
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

/** Until a process looks again for the answer that another one waits for. Milliseconds. */
const lookAgainMs = 1_000

/** Logins that a process remembers at most; of others it reads the row again. */
const maxKnown = 100_000

const overdue = 'the login could not be checked at its provider for too long'

/** One for each process. */
export class Rechecks {
  readonly #ports: RecheckPorts
  readonly #known = new LRUCache<string, Known>(atMost(maxKnown))
  readonly #throttle: LogThrottle

  constructor(ports: RecheckPorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /**
   * The claims of a ticket with the roles and claims that its provider has told last; at once unless the provider is to be asked.
   * @param claims of a ticket with `oidc_recheck`
   * @param waits for an answer that this process has asked for already; a stream that is judged by what was known before would go on until it is judged once more
   * @throws TokenError, at once or as a rejection, when the login has ended, or could not be checked for too long
   */
  current(
    claims: TicketClaims,
    onChanged: OnChanged,
    waits = false,
  ): TicketClaims | Promise<TicketClaims> {
    const known = this.#of(claims)
    // while this process asks, it serves requests on
    const serves = known.pending !== undefined && !waits
    if (serves || this.#ports.clock.now() < known.dueAt) return standing(claims, known)
    known.pending ??= this.#check(claims, known, onChanged).finally(() => delete known.pending)
    return known.pending.then(() => standing(claims, known))
  }

  /** What is known here of a login, for another node. @throws TokenError */
  async answer(claims: TicketClaims): Promise<Checked> {
    await this.current(claims, () => undefined, true)
    const { checkedAt, standing = standingOf(claims) } = this.#of(claims)
    return { checked_at: checkedAt, standing }
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
    const { clock, log, sessionCounts } = this.#ports
    const { aud: realm_uri, oidc_provider: name = '', oidc_recheck = 0 } = claims
    const interval = oidc_recheck * 1_000
    let grace = 0
    try {
      const settings = settingsOf(this.#ports.realms, realm_uri, name)
      grace = settings.recheck_grace * 1_000
      const told = await this.#ask(claims, known, interval)
      if (told === undefined) return
      const isChanged = !isDeepStrictEqual(standingOf(claims), known.standing)
      if (told === 'by the provider') sessionCounts.rechecks[isChanged ? 'changed' : 'same'] += 1
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

  /**
   * Asks the provider, or the node that keeps the tokens.
   * @returns who has told something; undefined where another process has asked, or asks
   * @throws TokenError when the login has ended; Error, OidcError, ServiceError where it is not known whether it has
   */
  async #ask(
    claims: TicketClaims,
    known: Known,
    interval: number,
  ): Promise<'by the provider' | 'by a node' | undefined> {
    const { clock, nodes, renewals, tokens } = this.#ports
    const found = await tokens.find(claims.id)
    if (found === undefined) {
      const told = await nodes.standing(claims)
      if (!told) throw new Error('the tokens of the login are not kept here')
      take(known, told, interval)
      if (clock.now() >= known.dueAt) throw new Error('the node of the login could not check it')
      return 'by a node'
    }
    take(known, { checked_at: found.checked_at, standing: found.kept.standing }, interval)
    if (clock.now() < known.dueAt) return undefined
    const renewed = await renewals.renew(claims, found)
    if (renewed === undefined) {
      known.dueAt = clock.now() + lookAgainMs
      return undefined
    }
    take(known, { checked_at: clock.now(), standing: renewed.standing }, interval)
    return 'by the provider'
  }
}

/** Takes what was found out, here or by another process. */
function take(known: Known, { checked_at, standing }: Checked, intervalMs: number): void {
  known.checkedAt = checked_at
  known.dueAt = checked_at + intervalMs
  known.standing = standing
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
