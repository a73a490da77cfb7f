/** Tokens that the processes of a gateway have in common: one of them fetches each, and the others are given it. In memory only. */
import type { Clock } from '#component/clock.ts'
import { messageOf } from '#component/errors.ts'
import { type SentToken, sentUntil } from './sent-token.ts'

/** What a process asks for. */
export interface TokenQuestion {
  /** What the token is fetched by: the same for all processes. */
  readonly key: string
  /** The token that the process has, and that another one is to replace. */
  readonly former: Pick<SentToken, 'text' | 'until'> | undefined
}

/** What it is told: a token, why there is none now, or that the process itself is to fetch it. */
export type TokenAnswer =
  | { readonly token: SentToken }
  | { readonly failure: string }
  | { readonly isToFetch: true }

/** What a process that was to fetch a token has to say. */
export type TokenNews = Pick<TokenQuestion, 'key'> & Exclude<TokenAnswer, { isToFetch: true }>

/** What processes share: the primary has it. */
export interface TokenShare {
  ask(question: TokenQuestion): Promise<TokenAnswer>
  tell(news: TokenNews): void
}

interface Waiting {
  readonly process: string
  resolve(answer: TokenAnswer): void
}

interface Entry {
  token?: SentToken
  failure?: { readonly text: string; readonly until: number }
  /** The process that fetches it now. */
  fetcher?: string
  waiting: Waiting[]
}

/** A failure is the answer of other processes for so long: less than the pause until the first of them tries again. Milliseconds. */
const failureMs = 500

/** A server may give the same token once more, for longer. */
const isOther = (token: SentToken, former: TokenQuestion['former']): boolean =>
  former === undefined || token.text !== former.text || token.until > former.until

/** One for a gateway of several processes. */
export class SharedTokens {
  readonly #clock: Pick<Clock, 'now'>
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** How many keys are known. */
  get size(): number {
    return this.#entries.size
  }

  /** The answer to a process; while another one fetches, what that has to say. */
  ask(process: string, { key, former }: TokenQuestion): TokenAnswer | Promise<TokenAnswer> {
    const entry = this.#entries.get(key) ?? { waiting: [] }
    this.#entries.set(key, entry)
    const { token, failure, fetcher } = entry
    const now = this.#clock.now()
    if (token !== undefined && isOther(token, former) && now < sentUntil(token)) return { token }
    if (fetcher !== undefined && fetcher !== process) {
      return new Promise((resolve) => entry.waiting.push({ process, resolve }))
    }
    if (failure !== undefined && now < failure.until) return { failure: failure.text }
    entry.fetcher = process
    return { isToFetch: true }
  }

  /** Takes what a process has fetched, or why it could not. */
  tell({ key, ...news }: TokenNews): void {
    const entry = this.#entries.get(key) ?? { waiting: [] }
    delete entry.fetcher
    delete entry.failure
    const now = this.#clock.now()
    if ('token' in news) entry.token = news.token
    else entry.failure = { text: news.failure, until: now + failureMs }
    for (const { resolve } of entry.waiting.splice(0)) resolve(news)
    this.#entries.set(key, entry)
    for (const [name, { token, fetcher }] of this.#entries) {
      const holds = token !== undefined && now < sentUntil(token)
      if (!holds && fetcher === undefined && name !== key) this.#entries.delete(name)
    }
  }

  /** A process has ended: another one fetches what it was to fetch. */
  leave(process: string): void {
    for (const entry of this.#entries.values()) {
      entry.waiting = entry.waiting.filter((one) => one.process !== process)
      if (entry.fetcher !== process) continue
      delete entry.fetcher
      const next = entry.waiting.shift()
      if (next === undefined) continue
      entry.fetcher = next.process
      next.resolve({ isToFetch: true })
    }
  }
}

/**
 * Fetches as {@link SharedTokens} say; by itself where they cannot be asked.
 * @param share undefined: the gateway has one process
 * @throws what `fetch` throws, Error with the failure of another process
 */
export async function fetchedOnce(
  share: TokenShare | undefined,
  question: TokenQuestion,
  fetch: () => Promise<SentToken>,
): Promise<SentToken> {
  if (share === undefined) return fetch()
  const answer = await share.ask(question).catch((): TokenAnswer => ({ isToFetch: true }))
  if ('token' in answer) return answer.token
  if ('failure' in answer) throw new Error(answer.failure)
  const { key } = question
  try {
    const token = await fetch()
    share.tell({ key, token })
    return token
  } catch (error) {
    share.tell({ key, failure: messageOf(error) })
    throw error
  }
}
