/** Tokens that were given for those of users (RFC 8693): kept by the token that they were given for, until either ends. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import { noToken, type SentToken, sentUntil } from './sent-token.ts'

/** The dependencies of {@link ExchangedTokens}. */
export interface ExchangedTokenPorts {
  readonly clock: Pick<Clock, 'now'>
}

/** Asks for a token. @param subject the token of the user */
export type Exchange = (subject: string) => Promise<SentToken>

/** What is known of the exchange of one token. */
interface Known {
  token?: SentToken
  /** All requests that bring the token wait for one exchange. */
  pending?: Promise<string>
  /** Why it has failed, and until when that is the answer. */
  failure?: { readonly error: unknown; readonly until: number }
  /** When the upstream has refused a token last; milliseconds since the epoch. */
  refusedAt?: number
}

/** Tokens that a process keeps. */
const most = 10_000

/** A failure is the answer for so long. Milliseconds. */
const failureMs = 5_000

/** At most one token in this time is asked for because the upstream refuses the former one. Milliseconds. */
const refusalMs = 10_000

const digestOf = (subject: string): string =>
  createHash('sha256').update(subject).digest('base64url')

/** One for each process. */
export class ExchangedTokens {
  readonly #ports: ExchangedTokenPorts
  readonly #known = new LRUCache<string, Known>(atMost(most))

  constructor(ports: ExchangedTokenPorts) {
    this.#ports = ports
  }

  /** How many are kept. */
  get size(): number {
    return this.#known.size
  }

  /**
   * The token for a user; at once where it is known.
   * @param settings what it is given by: tokens of other settings are others
   * @param subject the token of the user
   * @throws what the exchange throws, at once or as a rejection
   */
  get(settings: string, subject: string, exchange: Exchange): string | Promise<string> {
    const key = `${settings} ${digestOf(subject)}`
    const now = this.#ports.clock.now()
    const known = this.#known.get(key) ?? {}
    const { token, failure } = known
    if (token !== undefined && now < sentUntil(token)) return token.text
    if (failure !== undefined && now < failure.until) throw failure.error
    this.#known.set(key, known)
    known.pending ??= this.#exchange(known, subject, exchange).finally(() => {
      delete known.pending
    })
    return known.pending
  }

  /**
   * Takes back a token that the upstream has refused.
   * @returns whether {@link get} may give another one now
   */
  refuse(settings: string, subject: string, text: string): boolean {
    const known = this.#known.get(`${settings} ${digestOf(subject)}`)
    if (known?.token?.text !== text) return true
    const now = this.#ports.clock.now()
    if (known.refusedAt !== undefined && now - known.refusedAt < refusalMs) return false
    known.refusedAt = now
    delete known.token
    return true
  }

  async #exchange(known: Known, subject: string, exchange: Exchange): Promise<string> {
    const { clock } = this.#ports
    try {
      const token = await exchange(subject)
      if (clock.now() >= sentUntil(token)) throw noToken(failureMs)
      delete known.failure
      known.token = token
      return token.text
    } catch (error) {
      delete known.token
      known.failure = { error, until: clock.now() + failureMs }
      throw error
    }
  }
}
