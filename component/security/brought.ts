/** What a request brings of credentials, as it stands there: nothing of it is verified. */
import { LRUCache } from 'lru-cache'
import { decodePart } from '#component/token/signed-tokens.ts'
import { TokenError } from '#component/token/token-error.ts'
import { bearerOf } from './bearer-of.ts'
import type { ClientProof } from './client-proof.ts'
import type { SecuredRequest } from './scheme.ts'

/** What the head and the claims of a token say that it is. */
export interface TokenHead {
  /** Whether it says that it is a ticket. */
  readonly isTicket: boolean
  /** The claim `iss`. */
  readonly iss: string | undefined
  /** The provider of the login that a ticket says it comes from. */
  readonly provider: string | undefined
}

/** Longest token that is looked at. Characters. */
const maxLength = 16_384

const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** A text that is no JWT. */
const noToken: TokenHead = { isTicket: false, iss: undefined, provider: undefined }

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function read(text: string): TokenHead {
  if (text.length > maxLength || !compact.test(text)) return noToken
  const [header = '', payload = ''] = text.split('.')
  try {
    const { typ } = decodePart(header)
    const { iss, oidc_provider } = decodePart(payload)
    const isTicket =
      String(typ)
        .toLowerCase()
        .replace(/^application\//, '') === 'ticket+jwt'
    return { isTicket, iss: textOf(iss), provider: textOf(oidc_provider) }
  } catch (error) {
    if (error instanceof TokenError) return noToken
    throw error
  }
}

/** The heads of tokens, by their texts: many requests bring the same token. */
export class TokenHeads {
  readonly #known = new LRUCache<string, TokenHead>({
    maxSize: 8_000_000,
    sizeCalculation: (_head, text) => text.length + 100,
  })

  of(text: string): TokenHead {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const head = read(text)
    // what is too long is not read, either
    if (head !== noToken) this.#known.set(text, head)
    return head
  }
}

/** What one request brings. */
export class Brought {
  readonly request: SecuredRequest
  readonly authorization: string | undefined
  /** The credentials after `Bearer`. */
  readonly bearer: string | undefined
  /** The certificate of the client. */
  readonly certificate: ClientProof | undefined
  readonly #heads: TokenHeads
  #head: TokenHead | undefined

  /** @param heads those of the process */
  constructor(request: SecuredRequest, certificate: ClientProof | undefined, heads: TokenHeads) {
    this.request = request
    this.certificate = certificate
    this.authorization = request.header('authorization')
    this.bearer = bearerOf(request)
    this.#heads = heads
  }

  /** What the Bearer token says of itself; undefined without one, and for what is no JWT. */
  get token(): TokenHead | undefined {
    if (this.bearer === undefined) return undefined
    this.#head ??= this.#heads.of(this.bearer)
    return this.#head === noToken ? undefined : this.#head
  }
}
