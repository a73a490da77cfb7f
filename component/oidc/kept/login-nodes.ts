/** Logins whose tokens another node keeps, in a store of its own: the node that did the login is asked, over the component's realm. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Standing } from './kept-tokens.ts'
import type { Given, ProviderTokens } from './provider-tokens.ts'
import type { Checked, Rechecks } from './rechecks.ts'

/** One for each process. */
export class LoginNodes {
  /** Asks another node; undefined where all nodes have one store. Rejects where it does not answer. */
  ask: ((node: string, question: JsonMap) => Promise<JsonMap>) | undefined
  readonly #node: string

  /** @param node the name of this one */
  constructor(node: string) {
    this.#node = node
  }

  /**
   * What the provider has said of a user last; undefined where no other node keeps the login.
   * @throws TokenError when the login has ended; whatever `ask` rejects with
   */
  async standing(claims: TicketClaims): Promise<Checked | undefined> {
    const { checked_at, standing } = (await this.#ask('standing', claims)) ?? {}
    if (typeof checked_at !== 'number' || !isMap(standing)) return undefined
    return { checked_at, standing: standing as unknown as Standing }
  }

  /**
   * The access token of the provider; undefined where no other node keeps the login.
   * @throws TokenError when the login has ended or has none; whatever `ask` rejects with
   */
  async token(claims: TicketClaims): Promise<Given | undefined> {
    const { token, until } = (await this.#ask('token', claims)) ?? {}
    return typeof token === 'string' && typeof until === 'number' ? { token, until } : undefined
  }

  async #ask(wants: 'standing' | 'token', claims: TicketClaims): Promise<JsonMap | undefined> {
    const { issued_on } = claims
    if (this.ask === undefined || issued_on === this.#node) return undefined
    const answer = await this.ask(issued_on, { wants, claims })
    if (typeof answer.refused === 'string') throw new TokenError(answer.refused)
    return answer
  }
}

/** Who knows what this node keeps. */
export interface KnownHere {
  readonly rechecks: Pick<Rechecks, 'answer'>
  readonly providerTokens: Pick<ProviderTokens, 'answer'>
}

/** The answer to another node. @throws ServiceError, OidcError where it is not known now */
export async function answerNode(
  { wants, claims }: JsonMap,
  { rechecks, providerTokens }: KnownHere,
): Promise<JsonMap> {
  if (!isMap(claims)) return {}
  const ticket = claims as unknown as TicketClaims
  try {
    return { ...(await (wants === 'token' ? providerTokens : rechecks).answer(ticket)) }
  } catch (error) {
    if (error instanceof TokenError) return { refused: error.reason }
    throw error
  }
}
