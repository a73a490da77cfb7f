/** One token for all requests: fetched when the first one needs it, renewed before its end while requests come, and kept while it cannot be. */
import { type Clock, callAt } from '#component/clock.ts'
import { noToken, renewedAt, type SentToken, sentUntil } from './sent-token.ts'

/** The dependencies of {@link TokenKeeper}. */
export interface TokenKeeperPorts {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /**
   * Fetches a token.
   * @param former the token that it replaces, because it ends soon or the upstream refuses it; undefined: there is none
   */
  fetch(former: SentToken | undefined): Promise<SentToken>
}

/** The pause after a failure, which each further one in a row doubles. Milliseconds. */
const pauses = { first: 1_000, most: 30_000 }

/** At most one token in this time is fetched because the upstream refuses the former one. Milliseconds. */
const refusalMs = 10_000

/** Keeps one token, in memory only. */
export class TokenKeeper {
  readonly #ports: TokenKeeperPorts
  #token: SentToken | undefined
  #pending: Promise<SentToken> | undefined
  /** In a row. */
  #failures = 0
  #failure: unknown
  /** Nothing is fetched before; milliseconds since the epoch. */
  #retryAt = Number.NEGATIVE_INFINITY
  /** The token that the upstream has refused last, and when. */
  #refused: { readonly token: SentToken; readonly at: number } | undefined
  /** Whether a request has come since the last fetch began: nothing is fetched for nobody. */
  #isWanted = false
  #isClosed = false
  #stopTimer = (): void => undefined

  constructor(ports: TokenKeeperPorts) {
    this.#ports = ports
  }

  /**
   * The token; at once where there is one, else all that ask wait for one fetch.
   * @throws ServiceError `service.error.no_upstream_token`, at once or as a rejection
   */
  get(): string | Promise<string> {
    this.#isWanted = true
    const now = this.#ports.clock.now()
    const token = this.#token
    if (token !== undefined && now < sentUntil(token)) {
      // the timer comes late where the machine has slept, and never to a token that nobody asked for
      if (now >= renewedAt(token)) this.#fetchInBackground()
      return token.text
    }
    if (this.#pending === undefined && now < this.#retryAt) {
      throw noToken(this.#retryAt - now, this.#failure)
    }
    return this.#fetch().then(({ text }) => text)
  }

  /**
   * Takes back a token that the upstream has refused.
   * @returns whether {@link get} may give another one now
   */
  refuse(text: string): boolean {
    const token = this.#token
    if (token?.text !== text) return true
    const now = this.#ports.clock.now()
    if (this.#refused !== undefined && now - this.#refused.at < refusalMs) return false
    this.#refused = { token, at: now }
    this.#token = undefined
    return true
  }

  /** When the token was fetched, and when it ends; undefined while there is none. */
  get token(): Pick<SentToken, 'from' | 'until'> | undefined {
    return this.#token
  }

  /** Fetches nothing more. */
  close(): void {
    this.#isClosed = true
    this.#stopTimer()
  }

  #fetchInBackground(): void {
    if (this.#isClosed || this.#pending !== undefined) return
    if (this.#ports.clock.now() < this.#retryAt) return
    // whoever asks for a token is told of the failure
    this.#fetch().catch(() => undefined)
  }

  #fetch(): Promise<SentToken> {
    if (this.#pending !== undefined) return this.#pending
    this.#isWanted = false
    this.#pending = this.#ports
      .fetch(this.#token ?? this.#refused?.token)
      .then(
        (token) => this.#take(token),
        (error: unknown) => this.#fail(error),
      )
      .finally(() => {
        this.#pending = undefined
      })
    return this.#pending
  }

  #take(token: SentToken): SentToken {
    if (this.#ports.clock.now() >= sentUntil(token)) {
      return this.#fail(new Error('the token has ended when it comes'))
    }
    this.#token = token
    this.#failures = 0
    this.#failure = undefined
    this.#retryAt = Number.NEGATIVE_INFINITY
    this.#fetchAt(renewedAt(token))
    return token
  }

  #fail(error: unknown): never {
    const pause = Math.min(pauses.most, pauses.first * 2 ** this.#failures)
    this.#failures += 1
    this.#failure = error
    this.#retryAt = this.#ports.clock.now() + pause
    this.#fetchAt(this.#retryAt)
    throw noToken(pause, error)
  }

  #fetchAt(at: number): void {
    this.#stopTimer()
    if (this.#isClosed) return
    this.#stopTimer = callAt(this.#ports.clock, at, () => {
      if (this.#isWanted) this.#fetchInBackground()
    })
  }
}
